"""Steal War: the face-up piles of won cards while a script is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

#: Each player's face-up pile as far as its cards are known, bottom first.
Lying = dict[str, tuple[str, ...]]


@dataclass(slots=True)
class Piles:
    """The piles as they lie now."""

    lying: Lying = field(default_factory=dict)

    def show(self, tops: Mapping[str, str | None]) -> Lying:
        """The piles when these cards lie on top; None is an empty place.

        >>> Piles({"Ana": ("7C",), "Ben": ("2D",)}).show({"Ana": "9S", "Ben": None})
        {'Ana': ('7C', '9S'), 'Ben': ()}
        """
        for player, top in tops.items():
            pile = self.lying.get(player, ())
            if top is None:
                self.lying[player] = ()
            elif pile[-1:] != (top,):
                self.lying[player] = (*pile, top)
        return dict(self.lying)

    def steal(self, thief: str, card: str, victims: Sequence[str]) -> tuple[Lying, Lying]:
        """The piles while the card lies on the first pile to be stolen, and when the thief has them all.

        >>> Piles({"Ana": ("2C",), "Ben": ("KD", "7C")}).steal("Ana", "7H", ["Ben"])[1]
        {'Ana': ('2C', 'KD', '7C', '7H'), 'Ben': ()}
        """
        reached = {**self.lying, victims[0]: (*self.lying.get(victims[0], ()), card)}
        loot = [code for victim in victims for code in self.lying.get(victim, ())]
        self.lying |= dict.fromkeys(victims, ())
        self.lying[thief] = (*self.lying.get(thief, ()), *loot, card)
        return reached, dict(self.lying)
