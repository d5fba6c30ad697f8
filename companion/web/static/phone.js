// This phone is the table's camera: it sends its newest picture, waits for the answer, and sends the next.
const eye = document.getElementById("eye");
const stateLine = document.getElementById("state");
const startButton = document.getElementById("start");
const takeButton = document.getElementById("take");
const awakeLine = document.getElementById("awake");
const WANTED = { audio: false, video: { facingMode: { ideal: "environment" }, width: { ideal: 1280, max: 1920 }, height: { ideal: 720, max: 1080 }, frameRate: { ideal: 15 } } };
const QUALITY = 0.85; // JPEG; cards are read as well as at 1, and a picture has a third of the bytes
const PATIENCE = 5000; // ms that an answer is waited for
const AGAIN = 1000; // ms before the next try when nothing answers

// The phone keeps its own number, so that the table knows it again.
const KEPT = "war-referee-phone";
const phone = localStorage.getItem(KEPT) ?? [...crypto.getRandomValues(new Uint8Array(8))].map((one) => one.toString(16).padStart(2, "0")).join("");
localStorage.setItem(KEPT, phone);

let stream = null;
let sending = false;
let fresh = true;
let screenLock = null;
let sent = [];
const canvas = document.createElement("canvas");

function tell(key, says = "") {
  stateLine.textContent = says || stateLine.dataset[key];
  stateLine.classList.toggle("trouble", !["opening", "watched", "spare", "paused"].includes(key));
  document.body.dataset.state = key;
}

async function post(path, body, type) {
  const answer = await fetch(path, { method: "POST", body, headers: { "Content-Type": type, Accept: "application/json" }, signal: AbortSignal.timeout(PATIENCE) });
  // Not joined any more: the page that comes says so, and asks for the code.
  if (answer.status === 401) return location.reload();
  return answer.ok ? answer.json() : null;
}

function away(why) {
  navigator.sendBeacon("/phone/away", new Blob([JSON.stringify({ phone, why })], { type: "application/json" }));
}

// --- the camera -----------------------------------------------------------------------------------------------

async function open() {
  startButton.hidden = true;
  if (!navigator.mediaDevices?.getUserMedia) return tell("unable");
  tell("opening");
  try {
    stream = await navigator.mediaDevices.getUserMedia(WANTED);
  } catch (error) {
    startButton.hidden = false;
    return tell(error.name === "NotAllowedError" ? "denied" : error.name === "NotFoundError" ? "none" : "taken");
  }
  const track = stream.getVideoTracks()[0];
  // A call or another app takes the camera away: muted while it has it, ended where it is gone for good.
  track.addEventListener("ended", () => lose());
  track.addEventListener("mute", () => (away("camera"), tell("taken")));
  eye.srcObject = stream;
  await eye.play().catch(() => null);
  watchFrames();
  stayLit();
  if (!sending) run();
}

function lose() {
  stream = null;
  away("camera");
  tell("taken");
  setTimeout(() => stream || document.hidden || open(), AGAIN);
}

// Only a picture that the camera has newly given is sent; where the browser cannot say so, each.
function watchFrames() {
  if (!eye.requestVideoFrameCallback) return;
  fresh = false;
  const mine = stream;
  const next = () => ((fresh = true), stream === mine && eye.requestVideoFrameCallback(next));
  eye.requestVideoFrameCallback(next);
}

// --- one picture after the other -----------------------------------------------------------------------------

const wait = (ms) => new Promise((done) => setTimeout(done, Math.max(0, ms)));

async function begin(how) {
  const said = await post("/phone/begin", JSON.stringify({ phone, ...how }), "application/json").catch(() => null);
  if (said) show(said);
}

async function run() {
  sending = true;
  let [first, lost] = [true, false];
  while (stream) {
    if (document.hidden || !fresh || eye.readyState < 2) {
      await wait(30);
      continue;
    }
    if (eye.requestVideoFrameCallback) fresh = false;
    const began = performance.now();
    const said = await sendPicture().catch(() => null);
    if (!said) {
      lost = true;
      tell("lost");
      await wait(AGAIN);
      continue;
    }
    show(said);
    // Only now: what is picked as the camera has a picture to show.
    if (first || lost) await begin({ first });
    first = lost = false;
    await wait(said.next_ms - (performance.now() - began));
  }
  sending = false;
}

async function sendPicture() {
  [canvas.width, canvas.height] = [eye.videoWidth, eye.videoHeight];
  canvas.getContext("2d").drawImage(eye, 0, 0);
  const jpeg = await new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
  return jpeg && post(`/phone/picture?phone=${phone}`, jpeg, "image/jpeg");
}

function show(said) {
  tell(said.state, said.says);
  takeButton.hidden = !["other", "spare"].includes(said.state);
  document.getElementById("table").textContent = said.state === "watched" ? said.table : "";
  const now = performance.now();
  sent = [...sent, now].filter((at) => now - at < 3000);
  const rate = document.getElementById("rate");
  rate.textContent = sent.length > 4 ? rate.dataset.text.replace("{n}", Math.round((1000 * (sent.length - 1)) / (now - sent[0]))) : "";
  document.getElementById("size").textContent = eye.videoWidth ? `${eye.videoWidth} × ${eye.videoHeight}` : "";
}

// --- awake, and back again -----------------------------------------------------------------------------------

async function stayLit() {
  try {
    screenLock = await navigator.wakeLock.request("screen");
  } catch {
    screenLock = null; // an old browser, or a low battery
  }
  if (!screenLock) awakeLine.textContent = awakeLine.dataset.asleep;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    away("hidden");
    tell("hidden");
  } else {
    sent = [];
    stayLit();
    // A phone may have taken the camera away while the screen was off.
    if (!stream || stream.getVideoTracks()[0].readyState === "ended") open();
    else eye.play().catch(() => null);
  }
});
addEventListener("pagehide", () => away("left"));
addEventListener("pageshow", (event) => event.persisted && !stream && open());
startButton.addEventListener("click", open);
takeButton.addEventListener("click", () => begin({ take: true }));
open();
