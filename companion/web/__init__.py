"""The page at the table: a thin reader of the live table, and a way to ask it for things."""

from companion.web.app import create_app
from companion.web.server import serve

__all__ = ["create_app", "serve"]
