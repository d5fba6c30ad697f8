"""Small pictures for a page that is to be kept and sent."""

from __future__ import annotations

from vision.images import crop_card, decode_picture, encode_jpeg
from vision.types import Frame


def thumbnail(picture: bytes) -> bytes:
    """The JPEG no larger than a card's crop; what cannot be opened stays as it is."""
    image = decode_picture(picture)
    if image is None:
        return picture
    height, width = image.shape[:2]
    return encode_jpeg(crop_card(Frame(image, at=0.0), ((0, 0), (width, 0), (width, height), (0, height))))
