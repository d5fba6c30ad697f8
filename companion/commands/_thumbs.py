"""Small pictures for a page that is to be kept and sent."""

from __future__ import annotations

from vision.images import crop, decoded, jpeg
from vision.types import Frame


def thumbnail(picture: bytes) -> bytes:
    """The JPEG no larger than a card's crop; what cannot be opened stays as it is."""
    image = decoded(picture)
    if image is None:
        return picture
    height, width = image.shape[:2]
    return jpeg(crop(Frame(image, at=0.0), ((0, 0), (width, 0), (width, height), (0, height))))
