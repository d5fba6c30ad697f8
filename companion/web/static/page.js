// The page is drawn by the server; this script keeps it fresh, opens its dialogs in place, and gives it a voice.
"use strict";

const body = document.body;
const dialog = document.getElementById("dialog");
const link = document.getElementById("link");

// --- panels: each element with data-live is replaced only when it has changed -------------------------------

function refresh(html) {
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  for (const next of fresh.content.querySelectorAll("[data-live]")) {
    const old = document.getElementById(next.id);
    if (old) (next.dataset.live === "list" ? updateList : update)(old, next);
  }
}

const drawn = new WeakMap(); // element -> the HTML it was last drawn from

function update(old, next) {
  const html = next.outerHTML;
  if ((drawn.get(old) ?? old.outerHTML) === html) return false;
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  for (const name of old.getAttributeNames()) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const name of next.getAttributeNames()) old.setAttribute(name, next.getAttribute(name));
  const known = new Set([...old.querySelectorAll("[data-key]")].map((one) => one.dataset.key));
  const place = focused && [...old.querySelectorAll(TOUCHED)].indexOf(focused);
  old.replaceChildren(...next.childNodes);
  drawn.set(old, html);
  for (const one of old.querySelectorAll("[data-key]")) one.classList.toggle("fresh", !known.has(one.dataset.key));
  if (focused) focusIn(old, focused, place);
  return true;
}

const TOUCHED = "a, button, select, input, summary";

// The focus stays where it was: on the same thing, else on what stands in its place, else on the panel itself.
function focusIn(root, lost, place) {
  const all = [...root.querySelectorAll(TOUCHED)];
  const next = sameIn(root, lost) ?? all[Math.min(place, all.length - 1)] ?? root;
  if (next === root) root.tabIndex = -1;
  next.focus({ preventScroll: true });
}

const CALM = matchMedia("(prefers-reduced-motion: reduce)");

// A new line comes in at the top and pushes nothing: what was in sight stays where it is, and whoever looked at the
// newest line is led to it.
function updateList(old, next) {
  const box = old.closest(".rounds");
  const stays = [...old.children].find((item) => next.querySelector(`#${CSS.escape(item.id)}`));
  const [was, seen] = [stays?.offsetTop, box?.scrollTop];
  takeOver(old, next);
  const pushed = stays ? stays.offsetTop - was : 0;
  if (!box || pushed <= 0) return;
  const led = seen < 8 || box.matches(".led"); // newest line in sight, or on the way to it
  old.style.paddingBottom = led ? `${pushed + box.clientHeight}px` : ""; // room to scroll in
  box.scrollTop = seen + pushed;
  if (led) leadToTop(box, old);
}

function leadToTop(box, list) {
  box.classList.add("led");
  // Only after the frame that shows everything where it was.
  requestAnimationFrame(() => requestAnimationFrame(() => box.scrollTo({ top: 0, behavior: CALM.matches ? "instant" : "smooth" })));
  box.onwheel = box.ontouchmove = () => box.classList.remove("led"); // whoever scrolls is left where they are
  box.onscrollend = () => {
    if (box.scrollTop > 0) return;
    box.classList.remove("led");
    list.style.paddingBottom = "";
  };
}

function takeOver(old, next) {
  const known = new Map([...old.children].map((item) => [item.id, item]));
  const wanted = [...next.children].map((item) => {
    const mine = known.get(item.id);
    if (!mine) drawn.set(item, item.outerHTML);
    else update(mine, item);
    return mine ?? item;
  });
  for (const item of [...old.children]) if (!wanted.includes(item)) item.remove();
  // What stays is never taken out: it would lose the focus.
  wanted.forEach((item, i) => old.children[i] === item || old.insertBefore(item, old.children[i] ?? null));
}

function sameIn(root, lost) {
  if (lost.id) return document.getElementById(lost.id);
  const wanted = lost.outerHTML;
  const alike = [...root.querySelectorAll(lost.tagName)];
  return alike.find((one) => one.outerHTML === wanted) ?? alike.find((one) => one.textContent === lost.textContent);
}

// --- the line to the table: full state on every connection --------------------------------------------------

let events = null;
let heard = Date.now();

function connect() {
  if (events) return;
  events = new EventSource(body.dataset.events);
  events.addEventListener("open", alive);
  events.addEventListener("error", () => events?.readyState === EventSource.CLOSED && askWhy());
  events.addEventListener("beat", alive);
  events.addEventListener("page", (event) => {
    alive();
    refresh(JSON.parse(event.data).html);
    announce();
  });
}

// A line that was refused, not lost, does not come back by itself: a device that was removed is told so.
async function askWhy() {
  const answer = await fetch("/healthz").catch(() => null);
  if (answer?.status === 401) return location.reload();
  disconnect();
  setTimeout(connect, 2000);
}

function disconnect() {
  events?.close();
  events = null;
}

function alive() {
  const late = Date.now() - heard > 12000;
  heard = Date.now();
  showLink();
  // A picture stream does not come back by itself after the program was restarted.
  if (late) restartPicture();
}

function showLink() {
  if (!link) return;
  const seconds = Math.round((Date.now() - heard) / 1000);
  const open = events?.readyState === EventSource.OPEN;
  const stale = seconds >= 12 || (!open && seconds >= 2);
  link.className = `link ${stale ? "stale" : "live"}`;
  const text = stale ? link.dataset.staleText.replace("{n}", seconds) : link.dataset.liveText;
  const shown = link.querySelector(".link-text");
  if (shown.textContent !== text) shown.textContent = text;
}

// --- the clock of a timed game: between two answers of the table it goes on by itself ------------------------

function runClock() {
  const time = document.querySelector(".time-left time[data-left]");
  if (!time || Date.now() - heard > 12000) return;
  time.dataset.since ??= Date.now();
  const left = Math.max(0, Math.round(Number(time.dataset.left) - (Date.now() - Number(time.dataset.since)) / 1000));
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const text = hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
  if (time.textContent !== text) time.textContent = text;
}

// --- the picture: none while nobody looks -------------------------------------------------------------------

const picture = document.getElementById("picture");
const NOTHING = "/static/icon.svg"; // its own: the page loads nothing that is written into an address

function restartPicture() {
  if (picture && !document.hidden) picture.src = `/picture.mjpg?${Date.now()}`;
}

let awake = null;

async function stayAwake() {
  try {
    if (!document.hidden && navigator.wakeLock) awake = await navigator.wakeLock.request("screen");
  } catch {
    awake = null; // the system may refuse, as on a low battery
  }
}

document.addEventListener("visibilitychange", () => {
  if (!body.dataset.events) return;
  if (document.hidden) {
    if (picture) picture.src = NOTHING;
    if (level() === "off") disconnect();
  } else {
    connect();
    restartPicture();
    stayAwake();
  }
});

// --- dialogs and forms: the same addresses that work without a script ---------------------------------------

async function openDialog(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer) return toast(link?.textContent ?? "");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const content = page.getElementById("dialog-content");
  if (!content) return location.assign(address);
  dialog.replaceChildren(...content.childNodes);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  for (const form of dialog.querySelectorAll("form.game")) offerGames(form);
  dialog.querySelector("[data-first]")?.focus();
}

async function send(form, button) {
  const done = await post(form.action, new URLSearchParams(new FormData(form, button)));
  if (done && form.dataset.then) location.assign(form.dataset.then);
}

// Whether it was done; what came of it is said.
async function post(address, fields) {
  const answer = await fetch(address, { method: "POST", body: fields, headers: { Accept: "application/json" } }).catch(() => null);
  const said = await answer?.json().catch(() => null);
  if (answer?.ok) {
    if (dialog.open) dialog.close();
    if (said.said) toast(said.said);
  } else {
    const sentence = said?.error ?? link?.querySelector(".link-text").textContent ?? "";
    dialog.open ? trouble(sentence) : toast(sentence);
  }
  return Boolean(answer?.ok);
}

function trouble(sentence) {
  dialog.querySelector(".trouble")?.remove();
  const line = Object.assign(document.createElement("p"), { className: "trouble", textContent: sentence });
  line.setAttribute("role", "alert");
  dialog.append(line);
  line.scrollIntoView({ block: "nearest" });
}

let toastEnds = 0;

function toast(sentence) {
  const box = document.getElementById("toast");
  box.textContent = sentence;
  box.hidden = !sentence;
  clearTimeout(toastEnds);
  toastEnds = setTimeout(() => (box.hidden = true), 4000);
}

document.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
  const anchor = event.target.closest?.("a");
  if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (anchor.hasAttribute("data-close") && dialog.open) {
    event.preventDefault();
    dialog.close();
  } else if (anchor.hasAttribute("data-dialog")) {
    event.preventDefault();
    body.dataset.watching ? toast(body.dataset.watching) : openDialog(anchor.href);
  }
});

document.addEventListener("submit", (event) => {
  if (!body.dataset.events) return; // a page that does not change by itself is loaded anew
  event.preventDefault();
  send(event.target, event.submitter);
});

// --- the start: only games for the players there are ---------------------------------------------------------

function offerGames(form) {
  const names = [...form.querySelectorAll("input[name=player]")].filter((one) => one.value.trim()).length;
  const games = [...form.querySelectorAll("[data-low]")];
  if (!games.length) return;
  for (const one of games) {
    one.disabled = names >= 2 && (names < one.dataset.low || names > one.dataset.high);
    one.closest("label").hidden = one.disabled;
  }
  if (!games.some((one) => one.checked && !one.disabled)) (games.find((one) => !one.disabled) ?? games[0]).checked = true;
}

document.addEventListener("input", (event) => {
  if (event.target.name === "player" && event.target.form) offerGames(event.target.form);
});

// --- keys: U undo, P pause, Shift+A appeal, N new game, C count, R replay, ? all of them; arrows step through a replay --------------------------

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open || event.target.matches?.("input, select, textarea")) return;
  const key = (event.shiftKey && event.key !== "?" ? "Shift+" : "") + (event.key.length === 1 ? event.key.toUpperCase() : event.key);
  const wanted = [...document.querySelectorAll("[aria-keyshortcuts]")].find((one) => one.getAttribute("aria-keyshortcuts") === key);
  if (!wanted || event.repeat) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  wanted.click();
});

const step = document.querySelector(".step");
let swipe = null;
step?.addEventListener("pointerdown", (event) => (swipe = event.clientX));
step?.addEventListener("pointerup", (event) => {
  const way = swipe === null ? 0 : event.clientX - swipe;
  swipe = null;
  if (Math.abs(way) > 60) document.querySelector(way < 0 ? "a[rel=next]" : "a[rel=prev]")?.click();
});

// --- places drawn in the picture: corners are dragged, or moved by the arrows --------------------------------

const draw = document.getElementById("draw");
const NEAR = 20; // thousandths of the picture that an arrow moves a corner
let outlines = []; // of each place: player, zone, and its corners in thousandths

function startDrawing() {
  const found = JSON.parse(document.getElementById("outlines").dataset.outlines);
  const free = (one, n) => [[40, 40], [200, 40], [200, 260], [40, 260]].map(([x, y]) => [x + 240 * n, y + (one.zone === "pile" ? 690 : 0)]);
  outlines = found.map((one, n) => ({ ...one, points: one.points.length ? one.points.map(([x, y]) => [1000 * x, 1000 * y]) : free(one, n >> 1) }));
  showDrawing(outlines.length > 0);
}

function showDrawing(on) {
  for (const [id, hidden] of [["draw", !on], ["draw-start", on], ["draw-save", !on], ["draw-stop", !on], ["draw-hint", !on]])
    document.getElementById(id).toggleAttribute("hidden", hidden);
  if (on) drawPlaces();
}

function shape(name, attributes) {
  const it = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) it.setAttribute(key, value);
  return it;
}

function drawPlaces() {
  const focused = document.activeElement?.dataset?.grip;
  draw.replaceChildren();
  outlines.forEach((one, n) => {
    const middle = [0, 1].map((axis) => one.points.reduce((sum, point) => sum + point[axis], 0) / one.points.length);
    const name = shape("text", { x: middle[0], y: middle[1] });
    name.textContent = one.zone === "pile" ? draw.dataset.pile.replace("{player}", one.player) : one.player;
    draw.append(shape("polygon", { class: one.zone, points: one.points.join(" "), "data-place": n }), name);
    one.points.forEach(([x, y], corner) => {
      const label = draw.dataset.corner.replace("{player}", one.player).replace("{n}", corner + 1);
      draw.append(shape("ellipse", { class: "grip", cx: x, cy: y, rx: 16, ry: 16 * (draw.clientWidth / draw.clientHeight), tabindex: 0, role: "button", "aria-label": label, "data-grip": `${n} ${corner}` }));
    });
  });
  if (focused) draw.querySelector(`[data-grip="${focused}"]`)?.focus();
}

const within = (value) => Math.max(0, Math.min(1000, value));

function movePlace(which, x, y) {
  const [place, corner] = which.split(" ").map(Number);
  const points = outlines[place].points;
  outlines[place].points = points.map(([left, top], n) => (Number.isNaN(corner) || corner === undefined || n === corner ? [within(left + x), within(top + y)] : [left, top]));
  drawPlaces();
}

draw?.addEventListener("pointerdown", (event) => {
  const which = event.target.dataset.grip ?? event.target.dataset.place;
  if (which === undefined) return;
  event.preventDefault();
  const box = draw.getBoundingClientRect();
  let at = [event.clientX, event.clientY];
  const move = (now) => {
    movePlace(which, (1000 * (now.clientX - at[0])) / box.width, (1000 * (now.clientY - at[1])) / box.height);
    at = [now.clientX, now.clientY];
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
});

draw?.addEventListener("keydown", (event) => {
  const ways = { ArrowLeft: [-NEAR, 0], ArrowRight: [NEAR, 0], ArrowUp: [0, -NEAR], ArrowDown: [0, NEAR] };
  const way = ways[event.key];
  if (!way || !event.target.dataset.grip) return;
  event.preventDefault();
  event.stopPropagation();
  movePlace(event.target.dataset.grip, ...way);
});

// As the text of a seats file: who plays where, in fractions of the picture.
function seatsText() {
  const players = [...new Set(outlines.map((one) => one.player))];
  const row = (one) => `${one.zone} = [${one.points.map(([x, y]) => `[${(x / 1000).toFixed(4)}, ${(y / 1000).toFixed(4)}]`).join(", ")}]`;
  return players.map((player) => `[${JSON.stringify(player)}]\n${outlines.filter((one) => one.player === player).map(row).join("\n")}`).join("\n");
}

document.getElementById("draw-start")?.addEventListener("click", startDrawing);
document.getElementById("draw-stop")?.addEventListener("click", () => showDrawing(false));
document.getElementById("draw-save")?.addEventListener("click", async () => {
  const said = await post("/seats", new URLSearchParams({ seats: seatsText() }));
  if (said) showDrawing(false);
});

// --- the whole screen ---------------------------------------------------------------------------------------

const full = document.getElementById("full");
if (full && !document.documentElement.requestFullscreen) full.hidden = true;
full?.addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()));
document.addEventListener("fullscreenchange", () => full?.setAttribute("aria-pressed", String(Boolean(document.fullscreenElement))));

// --- keys: 2 to 9, 0 for ten, J Q K A, X for a joker --------------------------------------------------------

const KEYS = { 0: "10", j: "J", q: "Q", k: "K", a: "A", x: "joker" };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=radio]), select, textarea")) return;
  const key = event.key.toLowerCase();
  const rank = KEYS[key] ?? (/^[2-9]$/.test(key) ? key : null);
  const where = dialog.open ? dialog.querySelector("[data-keys]") : document.querySelector("#ask .question") ?? document.querySelector("[data-keys]");
  if (!rank || !where) return;
  const button = where.querySelector(`button[data-rank="${rank}"]`);
  if (button) {
    event.preventDefault();
    button.click();
  }
});

// --- the voice: off until a tap ----------------------------------------------------------------------------

const sound = document.getElementById("sound");
const KEPT = "war-referee-sound";
let tapped = false; // a browser lets nothing be heard before the first touch
if (sound) sound.value = localStorage.getItem(KEPT) ?? "off";
for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, () => (tapped = true), { once: true });
let audio = null;
let said = sentence();

function sentence() {
  return document.querySelector("#verdict h1")?.textContent.trim() ?? "";
}

function level() {
  return tapped && sound ? sound.value : "off";
}

function announce() {
  const text = sentence();
  if (!text || text === said) return;
  said = text;
  const verdict = document.getElementById("verdict");
  verdict.classList.remove("fresh");
  void verdict.offsetWidth; // starts the animation anew
  verdict.classList.add("fresh");
  const wanted = { off: [], all: ["news", "verdict", "problem"], verdicts: ["verdict", "problem"], problems: ["problem"] };
  if (wanted[level()].includes(verdict.dataset.kind)) speak(text);
}

function speak(text, otherwise = chime) {
  const voices = window.speechSynthesis?.getVoices() ?? [];
  const language = document.documentElement.lang;
  // A voice that works over the internet would send the family's names away.
  const voice = voices.find((one) => one.localService && one.lang.toLowerCase().startsWith(language));
  if (!voice) return otherwise();
  speechSynthesis.cancel(); // the newest verdict, never a queue of old ones
  const words = Object.assign(new SpeechSynthesisUtterance(text), { voice, lang: voice.lang, rate: 0.95 });
  words.onerror = (event) => event.error === "canceled" || event.error === "interrupted" || otherwise();
  speechSynthesis.speak(words);
}

function chime() {
  for (const [i, pitch] of [659, 880].entries()) ring(pitch, i * 0.16);
}

function ring(pitch, after = 0) {
  audio ??= new AudioContext();
  const tone = audio.createOscillator();
  const loud = audio.createGain();
  const start = audio.currentTime + after;
  tone.frequency.value = pitch;
  loud.gain.setValueAtTime(0.18, start);
  loud.gain.exponentialRampToValueAtTime(0.001, start + 0.5);
  tone.connect(loud).connect(audio.destination);
  tone.start(start);
  tone.stop(start + 0.5);
}

// Everybody turns at once: three, two, one, turn; seen too, and rung where nothing speaks.
const countIn = document.getElementById("count-in");
const turn = document.getElementById("turn");
const KEPT_COUNT_IN = "war-referee-count-in";
const COUNT_EVERY = 800; // ms
let counting = [];

const wantsCountIn = () => localStorage.getItem(KEPT_COUNT_IN) === "true";

if (turn) turn.hidden = !wantsCountIn();
if (countIn) countIn.checked = wantsCountIn();
countIn?.addEventListener("change", () => {
  localStorage.setItem(KEPT_COUNT_IN, countIn.checked);
  turn.hidden = !countIn.checked;
});
turn?.addEventListener("click", () => {
  if (turn.hidden) return;
  tapped = true;
  counting.forEach(clearTimeout);
  const words = turn.dataset.words.split("|").map((one) => one.trim());
  counting = words.map((word, i) => setTimeout(() => count(word, i === words.length - 1), i * COUNT_EVERY));
});

function count(word, last) {
  toast(word);
  speak(word, () => ring(last ? 880 : 523));
}

sound?.addEventListener("change", () => {
  tapped = true;
  localStorage.setItem(KEPT, sound.value);
  if (sound.value !== "off") speak(sound.dataset.start);
});

// --- start --------------------------------------------------------------------------------------------------

if (body.dataset.events) {
  for (const panel of document.querySelectorAll("[data-live]")) {
    if (panel.dataset.live === "list") for (const item of panel.children) drawn.set(item, item.outerHTML);
    else drawn.set(panel, panel.outerHTML);
  }
  connect();
  stayAwake();
  setInterval(showLink, 1000);
  setInterval(runClock, 500);
  // Only now: a page that waits for an endless picture would never count as loaded.
  if (document.readyState === "complete") restartPicture();
  else addEventListener("load", restartPicture);
}
