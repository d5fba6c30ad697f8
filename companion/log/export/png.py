"""A game's result as one picture to send: who won, the picture that decided it, everybody's cards over the rounds.

Drawn with Pillow: OpenCV, which is there anyway, writes no letters beyond ASCII, and the browser that could draw an SVG
is not there when the command is called. The typeface comes along, so that the picture is the same on every machine;
names in other scripts are written in a typeface of the system that has them, where there is one.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from PIL import Image, ImageColor, ImageDraw, ImageFont, ImageOps, UnidentifiedImageError

from companion.log import store
from companion.log.export import Shrink
from companion.log.export.moments import Moment, find_moments
from companion.log.summary import Summary
from companion.referee.cards import short_name
from companion.words import Words

#: Size of the picture in pixels: the upright 4:5 that messengers show whole.
_WIDTH, _HEIGHT = 1080, 1350
#: Pixels around everything.
_EDGE = 60
#: Top and height of the picture that decided, and of the curve, in pixels.
_PHOTO_TOP, _PHOTO_HEIGHT = 330, 520
_CURVE_TOP, _CURVE_HEIGHT = 960, 230
_FELT, _DEEP, _INK, _SOFT, _GOLD, _PAPER = "#1d5a47", "#0f382c", "#fbf7ea", "#c5dccf", "#e9bd55", "#fffdf8"
_RED, _BLACK = "#c4122f", "#17181c"
#: Colour and dash (pixels drawn, pixels left out) of each player's line.
_LINES = (("#ffffff", (1, 0)), ("#e9bd55", (16, 8)), ("#9fd8ff", (4, 8)), ("#ffb3a7", (24, 6)))
#: Typefaces of systems for letters that ours lacks.
_OTHERS = (
    "NotoSansCJK-Regular.ttc",
    "NotoSans-Regular.ttf",
    "msyh.ttc",
    "PingFang.ttc",
    "Arial Unicode.ttf",
    "arial.ttf",
)
#: A sign that no typeface has: what it looks like is what a missing letter looks like.
_MISSING = "\U0010fffe"

#: Level of the PNG's compression: the highest takes five times as long for a tenth less.
_COMPRESSION = 3

_Font = Any


def export_png(path: Path, number: int, words: Words, shrink: Shrink) -> bytes:
    """The result of session `number` as PNG. Raises LogError."""
    stored = store.load_session(path, number)
    summary = store.load_summary(path, stored)
    moments = find_moments(summary, words)
    photo = _load_photo(path, number, moments)
    image = Image.new("RGB", (_WIDTH, _HEIGHT), _FELT)
    draw = ImageDraw.Draw(image)
    _ground(draw)
    _heading(draw, stored, summary, words)
    if photo is not None:
        _paste(image, photo)
    elif moments:
        _draw_cards(draw, moments[0])
    _text(draw, (_EDGE, 872), moments[0].text if moments else "", 34, _INK, 2)
    _curve(draw, stored, summary)
    _facts(draw, summary, moments, words)
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=_COMPRESSION)
    return out.getvalue()


def _load_photo(path: Path, number: int, moments: Sequence[Moment]) -> Image.Image | None:
    """The table at the moment that decided, else at the best one that a picture is kept of."""
    for moment in moments:
        jpeg = store.load_table_picture(path, number, moment.look)
        if jpeg:
            try:
                return Image.open(io.BytesIO(jpeg)).convert("RGB")
            except (UnidentifiedImageError, OSError):
                continue
    return None


def _ground(draw: ImageDraw.ImageDraw) -> None:
    """Felt that grows darker downwards."""
    top, low = (ImageColor.getrgb(colour) for colour in (_FELT, _DEEP))
    for y in range(_HEIGHT):
        draw.line((0, y, _WIDTH, y), tuple(round(a + (b - a) * y / _HEIGHT) for a, b in zip(top, low, strict=True)))


def _heading(draw: ImageDraw.ImageDraw, stored: store.Session, summary: Summary, words: Words) -> None:
    variant = words.say(f"variant.{stored.game['variant']}")
    about = f"{variant} · {words.moment(stored.opened)}"
    _text(draw, (_EDGE, 48), words.say("session_page.title", players=words.names(summary.players)), 34, _GOLD, 1)
    _text(draw, (_EDGE, 96), about, 28, _SOFT, 1)
    said = words.ruling(summary.over) if summary.over else words.say("session_page.unfinished")
    _text(draw, (_EDGE, 150), said, 58, _INK, 2, bold=True)


def _paste(image: Image.Image, photo: Image.Image) -> None:
    """The photograph, whole, on a sheet of paper."""
    fitted = ImageOps.contain(photo, (_WIDTH - 2 * _EDGE - 20, _PHOTO_HEIGHT - 20))
    left, top = (_WIDTH - fitted.width) // 2, _PHOTO_TOP + (_PHOTO_HEIGHT - fitted.height) // 2
    box = (left - 10, top - 10, left + fitted.width + 10, top + fitted.height + 10)
    ImageDraw.Draw(image).rounded_rectangle(box, 14, _PAPER)
    image.paste(fitted, (left, top))


def _draw_cards(draw: ImageDraw.ImageDraw, moment: Moment) -> None:
    """The last cards of the round that decided, where no picture of them is kept."""
    last = [(player, codes[-1]) for player, codes in moment.faces.items()]
    width, height = 230, 330
    step = (_WIDTH - 2 * _EDGE) // max(1, len(last))
    for place, (player, code) in enumerate(last):
        middle = _EDGE + step * place + step // 2
        left, top = middle - width // 2, _PHOTO_TOP + 60
        draw.rounded_rectangle((left, top, left + width, top + height), 22, _PAPER)
        ink = _RED if code[-1:] in ("H", "D") or code == "JR" else _BLACK
        _centred(draw, (middle, top + height // 2 - 60), short_name(code), 84, ink)
        _centred(draw, (middle, top + height + 26), player, 34, _INK)


def _curve(draw: ImageDraw.ImageDraw, stored: store.Session, summary: Summary) -> None:
    """Everybody's cards over the rounds, with the names at their ends; told apart by dashes as well as colours."""
    start = store.starting_counts_of(stored.game)
    counts = [start, *(one["counts"] for one in summary.rulings if one["ruling"] in ("battle_won", "battle_drawn"))]
    if len(counts) < 3:
        return
    most = max(max(each.values(), default=0) for each in counts) or 1
    right = _WIDTH - _EDGE - 190
    draw.line((_EDGE, _CURVE_TOP + _CURVE_HEIGHT, right, _CURVE_TOP + _CURVE_HEIGHT), _SOFT, 2)
    ends = []
    for name, (colour, dash) in zip(summary.players, _LINES, strict=False):
        points = [
            (
                _EDGE + (right - _EDGE) * place / (len(counts) - 1),
                _CURVE_TOP + _CURVE_HEIGHT * (1 - each.get(name, 0) / most),
            )
            for place, each in enumerate(counts)
        ]
        _dashed(draw, points, colour, dash)
        ends.append((points[-1][1], name, colour, counts[-1].get(name, 0)))
    _names(draw, ends, right)


def _names(draw: ImageDraw.ImageDraw, ends: list[tuple[float, str, str, int]], right: int) -> None:
    """The names at the ends of their lines, none over another."""
    below = float("-inf")
    for y, name, colour, cards in sorted(ends):
        below = max(y - 18, below + 38)
        _text(draw, (right + 14, below), f"{name} {cards}", 28, colour, 1, room=_WIDTH - right - 20)


def _dashed(draw: ImageDraw.ImageDraw, points: list[tuple[float, float]], colour: str, dash: tuple[int, int]) -> None:
    for start, end in _pieces(points, *dash):
        draw.line((*start, *end), colour, 5)


def _pieces(
    points: list[tuple[float, float]], drawn: int, left_out: int
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The parts of a line that are drawn."""
    walked = 0.0
    for (x1, y1), (x2, y2) in zip(points, points[1:], strict=False):
        length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1e-6)
        steps = max(1, int(length // 2))
        for step in range(steps):
            if not left_out or (walked + length * step / steps) % (drawn + left_out) < drawn:
                a, b = step / steps, (step + 1) / steps
                yield (x1 + (x2 - x1) * a, y1 + (y2 - y1) * a), (x1 + (x2 - x1) * b, y1 + (y2 - y1) * b)
        walked += length


def _facts(draw: ImageDraw.ImageDraw, summary: Summary, moments: Sequence[Moment], words: Words) -> None:
    """Rounds, wars and time in one line, the best moments below."""
    numbers = words.say("session_page.bgstats", rounds=summary.rounds, wars=len(summary.wars), end="").strip()
    _text(draw, (_EDGE, 1212), f"{numbers} {words.span(summary.seconds)}".strip(), 30, _GOLD, 1)
    for row, moment in enumerate(moments[1:3]):
        said = f"{words.say(f'page.end.{moment.key}')} {moment.text}"
        _text(draw, (_EDGE, 1256 + 38 * row), said, 27, _SOFT, 1)


# --- letters ------------------------------------------------------------------------------------------


def _text(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    said: str,
    size: int,
    ink: str,
    lines: int,
    *,
    bold: bool = False,
    room: float = _WIDTH - 2 * _EDGE,
) -> None:
    """A text of at most this many lines of `room` pixels; written smaller until it fits, then cut."""
    while True:
        font = _font(said, size, bold)
        rows = list(_wrapped(said, font, room))
        if len(rows) <= lines or size <= 20:
            break
        size -= 2
    for row, line in enumerate(rows[:lines]):
        draw.text((at[0], at[1] + row * size * 1.2), _cut(line, font, room), ink, font=font)


def _centred(draw: ImageDraw.ImageDraw, at: tuple[float, float], said: str, size: int, ink: str) -> None:
    font = _font(said, size, True)
    draw.text((at[0], at[1]), _cut(said, font, _WIDTH / 3), ink, font=font, anchor="ma")


def _wrapped(said: str, font: _Font, room: float) -> Iterator[str]:
    line = ""
    for word in said.split():
        if line and font.getlength(f"{line} {word}") > room:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    if line:
        yield line


def _cut(line: str, font: _Font, room: float) -> str:
    if font.getlength(line) <= room:
        return line
    while line and font.getlength(f"{line}…") > room:
        line = line[:-1]
    return f"{line}…"


def _font(said: str, size: int, bold: bool) -> _Font:
    """The typeface at this size; another of the system's where ours lacks a letter and it has all of them."""
    own = _own(size, bold)
    if _has(own, said):
        return own
    others = (_other(name, size) for name in _OTHERS)
    return next((font for font in others if font is not None and _has(font, said)), own)


@lru_cache(maxsize=64)
def _own(size: int, bold: bool) -> _Font:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    data = files(__package__).joinpath("fonts", name).read_bytes()
    return ImageFont.truetype(io.BytesIO(data), size)


@lru_cache(maxsize=64)
def _other(name: str, size: int) -> _Font | None:
    try:
        return ImageFont.truetype(name, size)
    except OSError:
        return None


def _has(font: _Font, said: str) -> bool:
    """Whether the typeface has every letter."""
    return all(_letter(font, sign) != _letter(font, _MISSING) for sign in set(said) if not sign.isspace())


@lru_cache(maxsize=4096)
def _letter(font: _Font, sign: str) -> bytes:
    return bytes(font.getmask(sign))
