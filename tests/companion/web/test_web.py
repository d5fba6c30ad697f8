"""Numbers in addresses."""

from __future__ import annotations

import pytest

from companion.web import create_app
from tests.companion.web.fake_table import VERDICT, FakeTable


@pytest.mark.parametrize("number", [2**63, 10**30])
def test_a_number_beyond_the_log_is_no_page(number: int) -> None:
    table = FakeTable(VERDICT)
    browser = create_app(table).test_client()
    assert browser.post(f"/sessions/{number}/drop-pictures").status_code == 404
    assert browser.get(f"/crops/{number}.jpg").status_code == 404
    assert not table.acts
