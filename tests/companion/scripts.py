"""Games to play in tests: a looks script as long as it need be, from real shuffles with a fixed seed."""

import json
import random

from companion.referee.codec import game_to_json, input_to_json
from companion.referee.game import new_game
from companion.simulation.simulate import history


def script(looks, seed=1, variant="classic", players=("Ana", "Ben"), **chosen):
    """The lines of a looks script with so many inputs."""
    game = new_game(variant, players, chosen)
    lines = [json.dumps({"game": game_to_json(game)})]
    for entry, _, _ in history(game, random.Random(seed)):
        lines.append(json.dumps(input_to_json(entry)))
        if len(lines) > looks:
            break
    return lines


def write_script(path, looks, **parts):
    """The script as a file; its path as text."""
    path.write_text("\n".join(script(looks, **parts)) + "\n", "utf-8")
    return str(path)
