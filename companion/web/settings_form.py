"""What can be played, in sentences: presets and house rules for the start screen."""

from __future__ import annotations

from dataclasses import dataclass

from companion.referee.settings import SETTINGS, Setting
from companion.referee.variants import PRESETS, VARIANTS, Preset, Size, matters, settings_for, variant
from companion.table.snapshot import Snapshot
from companion.web.template_helpers import say, words

#: The six that families quarrel about come first.
_FIRST = ("double_tie", "short", "war_down", "multi_down", "war_part", "end", "end_minutes", "end_rounds")
#: Not for the start screen: how sure the camera must be.
_HIDDEN = ("ask_above",)


@dataclass(frozen=True, slots=True)
class PresetView:
    """One ready game: its title, for how many (`low` to `high`), what is special about it, and its house rules."""

    name: str
    variant: str
    title: str
    players: str
    says: str
    low: int
    high: int
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SettingView:
    """One house rule as a form field: a choice between `options`, or a number from `low` to `high`."""

    key: str
    label: str
    options: tuple[tuple[str, str], ...]
    value: str
    low: int
    high: int
    usual: str
    css: str


def preset_views(now: Snapshot) -> tuple[PresetView, ...]:
    """The ready games in the language of the table."""
    return tuple(_preset(now, entry) for entry in PRESETS)


def _preset(now: Snapshot, entry: Preset) -> PresetView:
    title, says = say(now, f"preset.{entry.name}"), say(now, f"page.preset.{entry.name}")
    low, high = variant(entry.variant).players
    return PresetView(entry.name, entry.variant, title, _span(now, entry.variant), says, low, high, _rules(now, entry))


def _rules(now: Snapshot, entry: Preset) -> tuple[str, ...]:
    """The house rules that a ready game is played by, as phrases: those that make a difference in it."""
    chosen = settings_for(entry.variant, {key: str(value) for key, value in entry.set.items()})
    keys = [
        key
        for key in _FIRST
        if key in ("double_tie", "short", "war_part", "end") and matters(key, variant(entry.variant))
    ]
    size = str(variant(entry.variant).size)
    keys = [*([size] if variant(entry.variant).size is not Size.RANK else []), *keys]
    keys += [key for key in chosen.changed(settings_for(entry.variant, {})) if key not in keys]
    spoken = words(now.language)
    return tuple(spoken.house(f"{key}={str(getattr(chosen, key)).lower()}") for key in keys)


def _span(now: Snapshot, name: str) -> str:
    low, high = variant(name).players
    return say(now, "page.game.players" if low == high else "page.game.players_span", low=low, high=high)


def setting_views(now: Snapshot, *, blank: bool) -> tuple[SettingView, ...]:
    """The house rules, the quarrelsome ones first; `blank` leaves all unchosen, else they stand as now."""
    shown = [entry for entry in SETTINGS if entry.key not in _HIDDEN]
    shown.sort(key=lambda entry: _FIRST.index(entry.key) if entry.key in _FIRST else len(_FIRST))
    return tuple(_setting(now, entry, blank) for entry in shown)


def _setting(now: Snapshot, entry: Setting, blank: bool) -> SettingView:
    spoken = words(now.language)
    low, high = entry.span or (0, 0)
    numbered = entry.span is not None
    return SettingView(
        key=entry.key,
        label=spoken.say(f"setting.{entry.key}.title"),
        options=() if numbered else tuple((_text(v), spoken.setting(entry.key, v)) for v in entry.values),
        value="" if blank else _text(now.settings.get(entry.key, "")),
        low=int(low),
        high=int(high),
        usual=_text(entry.values[0]) if numbered else "",
        css=" ".join(f"for-{name}" for name in offered_in(entry.key)),
    )


def offered_in(key: str) -> tuple[str, ...]:
    """The variants in which a setting makes a difference; `all` where it does in every one.

    >>> offered_in("steal4"), offered_in("faces_equal")
    (('steal',), ('all',))
    """
    names = tuple(it.name for it in VARIANTS if matters(key, it))
    return names if len(names) < len(VARIANTS) else ("all",)


def _text(value: object) -> str:
    return str(value).lower()
