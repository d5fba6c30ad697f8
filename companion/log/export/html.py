"""An evening as one page to keep: no script, nothing from elsewhere, its pictures within."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from html import escape

from companion.log.export.summary import Evening, Ruling, clock, shown, when
from companion.log.store import Session
from companion.words import Words

#: What a browser may do with the page: show it.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c;
  background: #fff }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
th, td { border-bottom: 1px solid #ccc; padding: .35rem .6rem; text-align: left; vertical-align: top }
dt { font-weight: 600 } dd { margin: 0 0 .6rem }
img { max-width: 14rem; height: auto; display: block }
.end { font-size: 1.4rem } .corrected { font-style: italic }
tr { break-inside: avoid }
"""


def page(stored: Session, it: Evening, pictures: Mapping[int, bytes], words: Words) -> str:
    """The page of a session; `pictures` are JPEGs of the table by look."""
    title = words.say("keepsake.title", players=words.names(it.players))
    end = f'<p class="end">{escape(words.ruling(it.over))}</p>' if it.over else ""
    head = (
        f'<!doctype html>\n<html lang="{escape(words.language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    )
    body = (f"<h1>{escape(title)}</h1>", f"<p>{when(stored.opened)}</p>", end, *_facts(stored, it, words))
    parts = (*body, _people(stored, it, words), _rounds(it, pictures, words))
    return head + "\n".join(filter(None, parts)) + "\n</body>\n</html>\n"


def houses(stored: Session, words: Words) -> str:
    """The house rules agreed before the game, in words; empty where there are none."""
    return "; ".join(words.setting(key, value) for key, value in stored.game.get("set", {}).items())


def _facts(stored: Session, it: Evening, words: Words) -> Iterator[str]:
    longest = words.say("keepsake.no_war")
    if war := it.longest:
        n, ties, cards = war["round"], war["wars"], war["pot"]
        longest = words.say("keepsake.longest_war", n=n, ties=ties, cards=cards, winner=war["winner"])
    facts = {
        "played": words.say(f"variant.{stored.game['variant']}"),
        "rules": houses(stored, words) or words.say("keepsake.no_rules"),
        "rounds": str(it.rounds),
        "wars": str(len(it.wars)),
        "longest": longest,
        "corrections": str(it.corrections),
    }
    yield "<dl>"
    for key, said in facts.items():
        yield f"<dt>{escape(words.say(f'keepsake.{key}'))}</dt><dd>{escape(said)}</dd>"
    yield "</dl>"


def _people(stored: Session, it: Evening, words: Words) -> str:
    heads = ("player", "cards", "rounds_won", "wars_won", "wars_survived")
    people = it.people(stored.game.get("counts", {}))
    rows = ((one.name, one.cards, one.rounds_won, one.wars_won, one.wars_survived) for one in people)
    return _table(heads, (map(escape, map(str, row)) for row in rows), words)


def _rounds(it: Evening, pictures: Mapping[int, bytes], words: Words) -> str:
    seen = set(pictures) & {ruling["look"] for ruling in it.told}
    heads = ("round", "time", "laid", "said", "counts", *(("picture",) if seen else ()))
    first: set[int] = set()
    rows = []
    for ruling in it.told:
        look = ruling["look"]
        picture = [_picture(pictures.get(look) if look not in first else None, ruling, words)] if seen else []
        first.add(look)
        rows.append((*_told(ruling, look in it.corrected, words), *picture))
    return _table(heads, rows, words)


def _told(ruling: Ruling, corrected: bool, words: Words) -> tuple[str, ...]:
    faces, counts = ruling.get("faces") or {}, ruling.get("counts") or {}
    laid = "; ".join(f"{player} {' '.join(map(shown, codes))}" for player, codes in faces.items() if codes)
    has = ", ".join(f"{player} {n}" for player, n in counts.items())
    mark = f' <span class="corrected">({escape(words.say("keepsake.corrected"))})</span>' if corrected else ""
    plain = (str(ruling.get("round", "")), clock(ruling["at"]), laid)
    return (*map(escape, plain), escape(words.ruling(ruling)) + mark, escape(has))


def _picture(jpeg: bytes | None, ruling: Ruling, words: Words) -> str:
    if jpeg is None:
        return ""
    said = escape(words.say("keepsake.picture_of", time=clock(ruling["at"])))
    return f'<img alt="{said}" src="data:image/jpeg;base64,{b64encode(jpeg).decode()}">'


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], words: Words) -> str:
    """A table of cells that are escaped already."""
    head = "".join(f'<th scope="col">{escape(words.say(f"keepsake.{key}"))}</th>' for key in heads)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
