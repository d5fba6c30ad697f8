"""The description of the HTTP surface names every route, and no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from companion.web import create_app
from tests.companion.web.fake_table import VERDICT, FakeTable

DESCRIPTION = json.loads((Path(__file__).parents[2] / "companion" / "web" / "openapi.json").read_text("utf-8"))


def test_every_route_is_described() -> None:
    rules = create_app(FakeTable(VERDICT)).url_map.iter_rules()
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), verb.lower())
        for rule in rules
        for verb in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert routes == {(path, verb) for path, verbs in DESCRIPTION["paths"].items() for verb in verbs}


def test_references_lead_somewhere() -> None:
    named = set(re.findall(r'"\$ref": "#/components/responses/(\d+)"', json.dumps(DESCRIPTION)))
    assert named == set(DESCRIPTION["components"]["responses"])


@pytest.mark.parametrize("path", [path for path, verbs in DESCRIPTION["paths"].items() if "post" in verbs])
def test_a_body_that_is_no_object_is_refused(path: str) -> None:
    table = FakeTable(VERDICT)
    answer = (
        create_app(table)
        .test_client()
        .post(path.format(number=1, day="2026-01-31"), data="[]", content_type="application/json")
    )
    takes = DESCRIPTION["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert (answer.status_code, table.acts) == (400, []) if takes else answer.status_code == 200
