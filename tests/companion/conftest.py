"""A family's log in a folder of its own."""

from __future__ import annotations

import pytest

from companion.log.store import Log


@pytest.fixture
def path(tmp_path):
    return tmp_path / "family.db"


@pytest.fixture
def log(path):
    with Log(path) as log:
        yield log
