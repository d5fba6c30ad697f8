"""Light and camera: shade, coloured lamps, glare, exposure, blur, noise, JPEG."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Image

_Field = NDArray[np.float32]
_SMALL = 48


@cache
def _noise_bank() -> NDArray[np.float32]:
    return np.random.default_rng(20260101).standard_normal((1400, 1500, 3), dtype=np.float32)


def _lamp(rng: np.random.Generator) -> _Field:
    """Brightness over the picture on a coarse grid: a slope, a pool of light, a hard shadow or two."""
    y, x = np.mgrid[0:_SMALL, 0:_SMALL].astype(np.float32) / _SMALL - 0.5
    angle = rng.uniform(0, 2 * np.pi)
    gain = 1 + rng.uniform(0, 0.5) * (x * np.cos(angle) + y * np.sin(angle))
    if rng.random() < 0.4:
        cx, cy = rng.uniform(-0.5, 0.5, 2)
        gain *= rng.uniform(0.55, 0.95) + rng.uniform(0.2, 0.8) * np.exp(
            -((x - cx) ** 2 + (y - cy) ** 2) / rng.uniform(0.05, 0.4)
        )
    return np.asarray(gain, np.float32)


def _cast_shadows(gain: _Field, rng: np.random.Generator) -> _Field:
    """Shadows of things outside the picture, soft or hard edged; `gain` at picture size."""
    height, width = gain.shape
    for _ in range(int(rng.choice([0, 1, 2], p=[0.6, 0.3, 0.1]))):
        corner = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * (width, height)
        shade = np.ones_like(gain)
        cv2.fillPoly(shade, [cv2.convexHull(corner.astype(np.int32))], float(rng.uniform(0.4, 0.85)))
        gain = gain * cv2.blur(shade, (int(rng.integers(1, 40)),) * 2)
    return gain


#: Gains of blue, green and red, from and to, of lamps that are not white.
_LAMPS = {
    "tungsten": ((0.45, 0.76, 1.0), (0.65, 0.9, 1.0)),
    "candle": ((0.25, 0.58, 0.95), (0.42, 0.74, 1.0)),
    "sodium": ((0.12, 0.52, 0.95), (0.28, 0.68, 1.0)),
    "LED": ((0.45, 0.45, 0.45), (1.0, 1.0, 1.0)),
}
_DAYLIGHT = (1.0, 0.93, 0.84)


def any_lamp_colour(rng: np.random.Generator) -> NDArray[np.float64]:
    """Gains of blue, green and red under a lamp by lot; the camera's white balance takes a part of the colour out."""
    low, high = _LAMPS[str(rng.choice(list(_LAMPS)))]
    return np.asarray(rng.uniform(low, high) ** rng.uniform(0.4, 1.0))


def colour_light(image: Image, rng: np.random.Generator) -> Image:
    """One lamp's colour, a lamp and a window from two sides, or a screen's glow from one side."""
    height, width = image.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[0:_SMALL, 0:_SMALL].astype(np.float32) / (_SMALL - 1) - 0.5
    share = np.clip(0.5 + x * np.cos(angle) + y * np.sin(angle), 0, 1)[..., None]
    kind = str(rng.choice(["lamp", "mixed", "screen"], p=[0.55, 0.25, 0.2]))
    if kind == "lamp":
        gain = np.broadcast_to(any_lamp_colour(rng), (_SMALL, _SMALL, 3))
    elif kind == "mixed":
        gain = np.array(_DAYLIGHT) * share + any_lamp_colour(rng) * (1 - share)
    else:
        glow = np.array([1.0, rng.uniform(0.5, 0.95), rng.uniform(0.3, 0.9)]) * rng.uniform(0.15, 0.6)
        gain = rng.uniform(0.4, 0.9) * any_lamp_colour(rng) + glow * share**1.5
    field = cv2.resize(np.asarray(gain, np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.multiply(image, field, dtype=cv2.CV_8U), np.uint8)


def light(image: Image, rng: np.random.Generator) -> Image:
    """Shade the picture and colour its light; float work is done once, at a quarter of the size."""
    height, width = image.shape[:2]
    gain = cv2.resize(_lamp(rng), (width // 4 + 1, height // 4 + 1), interpolation=cv2.INTER_LINEAR)
    gain = _cast_shadows(np.asarray(gain, np.float32), rng)
    gain = np.asarray(cv2.resize(gain, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    return np.asarray(cv2.multiply(image, cv2.merge([gain] * 3), dtype=cv2.CV_8U), np.uint8)


def glare(image: Image, at: tuple[float, float], radius: float, strength: float) -> None:
    """Burn a soft highlight into `image` at pixel `at`, in place; strength 0..255."""
    x, y = at
    left, top = max(0, int(x - radius)), max(0, int(y - radius))
    part = image[top : int(y + radius), left : int(x + radius)]
    if part.size:
        yy, xx = np.mgrid[0 : part.shape[0], 0 : part.shape[1]].astype(np.float32)
        spot = np.exp(-(((xx + left - x) ** 2 + (yy + top - y) ** 2) / (0.25 * radius * radius))) * strength
        part[:] = np.clip(part + spot[..., None], 0, 255).astype(np.uint8)


def expose(image: Image, rng: np.random.Generator) -> Image:
    """Exposure, gamma and white balance through one table a channel; sometimes near-dark."""
    dark = rng.random() < 0.1
    gain = rng.uniform(0.18, 0.5) if dark else rng.uniform(0.7, 1.35)
    gamma = rng.uniform(0.8, 1.3)
    balance = 1 + rng.normal(0, 0.07, 3)
    lift = rng.uniform(0, 14)
    levels = np.arange(256, dtype=np.float32) / 255
    table = np.clip(255 * (levels[:, None] ** gamma) * gain * balance + lift, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(image, table.reshape(1, 256, 3)), np.uint8)


def blur(image: Image, rng: np.random.Generator, card: float) -> Image:
    """Focus or motion blur, at most what leaves an index of a card `card` pixels high legible."""
    most = min(3.2, card / 70)
    kind = rng.random()
    if kind < 0.45 and most > 0.4:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.2, most))), np.uint8)
    if kind < 0.6 and most > 0.8:
        length = int(rng.integers(2, max(3, int(most * 3))))
        kernel = np.zeros((length, length), np.float32)
        angle = rng.uniform(0, np.pi)
        reach = np.array([np.cos(angle), np.sin(angle)]) * length / 2
        middle = np.array([length / 2, length / 2])
        a, b = (middle - reach).astype(int), (middle + reach).astype(int)
        cv2.line(kernel, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), 1.0)
        return np.asarray(cv2.filter2D(image, -1, kernel / max(kernel.sum(), 1e-6)), np.uint8)
    return image


def noise(image: Image, rng: np.random.Generator) -> Image:
    """Sensor noise, coarser where the light is low."""
    sigma = float(rng.choice([rng.uniform(0, 4), rng.uniform(3, 16)], p=[0.7, 0.3]))
    height, width = image.shape[:2]
    bank = _noise_bank()
    top, left = int(rng.integers(bank.shape[0] - height + 1)), int(rng.integers(bank.shape[1] - width + 1))
    return np.asarray(
        cv2.addWeighted(image, 1.0, bank[top : top + height, left : left + width], sigma, 0, dtype=cv2.CV_8U), np.uint8
    )


def jpeg(image: Image, rng: np.random.Generator) -> Image:
    """Through a JPEG file and back; cheap webcams compress hard."""
    quality = int(rng.uniform(35, 97))
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


#: How often the light of a widened picture is not white.
_COLOURED = 0.35


def photograph(image: Image, rng: np.random.Generator, card: float, wide: bool = False) -> Image:
    """Everything between table and file, in the order light takes; `wide` with lamps that are not white."""
    if wide and rng.random() < _COLOURED:
        image = colour_light(image, rng)
    shot = noise(expose(blur(light(image, rng), rng, card), rng), rng)
    if rng.random() < 0.25:
        sharp = cv2.GaussianBlur(shot, (0, 0), 1.2)
        shot = np.asarray(cv2.addWeighted(shot, 1 + (k := float(rng.uniform(0.3, 1.2))), sharp, -k, 0), np.uint8)
    return jpeg(shot, rng) if rng.random() < 0.8 else shot
