import pytest

from companion.referee import events
from companion.referee.rulebook import RULEBOOK, Rule
from companion.referee.settings import SETTINGS
from companion.referee.variants import PRESETS, VARIANTS
from companion.table.snapshot import Chip
from companion.words import NoLanguage, speak
from companion.words.sentences import KINDS

WORDS = speak("en")


def won(**changes):
    return {
        "ruling": "battle_won",
        "round": 1,
        "winner": "Anna",
        "faces": {"Anna": ["KS"], "Ben": ["9H"]},
        "pot": 2,
        "takes": {"Anna": 2},
        "wars": 0,
        "rule": "higher_card",
        **changes,
    }


def war(**changes):
    return {"ruling": "war_declared", "rank": "8", "who": ["Ben", "Anna"], "down": {"Ben": 3, "Anna": 3}, **changes}


@pytest.mark.parametrize(
    ("ruling", "says"),
    [
        (won(), "Anna takes both: king beats nine."),
        (
            won(faces={"Anna": ["8S", "KC"], "Ben": ["8H", "3C"]}, pot=10, takes={"Anna": 10}, wars=1),
            "Anna wins the war and takes 10 cards: king beats three.",
        ),
        (
            won(faces={"Anna": ["JR"], "Ben": ["9?"], "Cai": ["2H"]}, takes={"Anna": 3}),
            "Anna takes all 3: the red joker is highest.",
        ),
        (
            won(faces={"Anna": ["8S", "KC"], "Ben": ["8H", "QC"]}, takes={"Anna": 8, "Ben": 2}, wars=1),
            "Anna takes 8 cards: king beats queen. Ben takes 2 cards.",
        ),
        (
            won(faces={"Anna": ["8S"], "Ben": ["8H"]}, takes={"Anna": 5}, wars=1),
            "Anna wins the war and takes 5 cards: nobody else can go on.",
        ),
        (
            won(
                faces={"Anna": ["8S", "KC"], "Ben": ["8H", "KD"], "Cai": ["2H", "AC"]},
                winner="Cai",
                wars=1,
                takes={"Cai": 9},
            ),
            "Cai wins the war with the ace and takes 9 cards.",
        ),
        (war(), "WAR. Two eights. Ben and Anna: 3 face down, then 1 face up."),
        (
            war(who=["Ben", "Anna", "Cai"], down={"Ben": 1, "Anna": 1, "Cai": 0}, short=["Cai"]),
            "WAR on eights. Ben and Anna: 1 face down, then 1 face up. Cai: lay the last card, face up.",
        ),
        (war(down={"Ben": 0, "Anna": 0}, rank="K"), "WAR. Two kings. Ben and Anna: 1 face up."),
        (
            war(short=["Ben"], house_rules=["short=lose"]),
            "WAR. Two eights. Ben: not enough cards for this war, they go into the pot. "
            "Anna: 3 face down, then 1 face up.",
        ),
        (war(rank="10/J/Q/K"), "WAR on equal cards. Ben and Anna: 3 face down, then 1 face up."),
        (
            {"ruling": "shown", "faces": {"Ana": ["10H"], "Ben": []}, "waiting": ["Ben"]},
            "Ana: ten. Waiting for Ben.",
        ),
        (
            {"ruling": "question", "about": "Ben", "choices": ["6H", "9H"], "why": "reading"},
            "Which card did Ben lay: six or nine?",
        ),
        (
            {"ruling": "violation", "kind": "same_card_twice", "player": "Ben", "cards": ["9H"], "holds": False},
            "The nine of hearts lies here twice. A second pack, or did I misread? The round counts.",
        ),
        (
            {"ruling": "violation", "kind": "too_few_down", "player": "Ben", "cards": [], "missing": 1},
            "Ben, please lay 1 card more face down.",
        ),
        (
            {"ruling": "steal", "by": "Ana", "card": "7H", "from": ["Ben", "Cai"], "counts": {}},
            "Ana steals from Ben and Cai with a seven.",
        ),
        ({"ruling": "player_out", "player": "Ben"}, "Ben has no cards left. Well played, Ben!"),
        (
            {"ruling": "game_over", "winner": "Ana", "reason": "all_cards"},
            "Ana wins the game! All the cards are together.",
        ),
        (
            {
                "ruling": "game_over",
                "winner": "draw",
                "reason": "all_cards",
                "rule": "all_cards",
                "counts": {"draw": 52, "Ana": 0},
            },
            "draw wins the game! All the cards are together.",
        ),
        (
            {
                "ruling": "game_over",
                "winner": "draw",
                "reason": "rounds",
                "rule": "most_cards",
                "counts": {"draw": 26, "Ana": 26},
            },
            "The game ends in a draw. The agreed rounds are played, and the cards are equal.",
        ),
        ({"ruling": "game_over", "winner": "draw", "reason": "ran_out"}, "The game ends in a draw. Nobody can go on."),
        ({"ruling": "blind", "since": 4.0, "until": 5.2}, "I could not see the table for 1 second."),
        ({"ruling": "battle_drawn", "pot": 10}, "A draw: nobody has a card left for this war. 10 cards on the table."),
        ({"ruling": "notice", "kind": "appeal", "player": "Ana"}, "Ana disagrees. Let us look at it together."),
    ],
)
def test_a_ruling_is_one_kind_sentence(ruling, says):
    assert WORDS.ruling(ruling) == says


def test_the_reason_names_the_rule_and_the_house_rule():
    houses = ["war_part=all", "multi_down=3"]
    reason = WORDS.reason({"rule": "war_part", "house_rules": houses, "differs": houses[1:]})
    assert reason.startswith(RULEBOOK[Rule.WAR_PART].says)
    assert reason.endswith("House rule: three cards face down.")
    assert "House rule" not in WORDS.reason({"rule": "war_part", "house_rules": houses[:1]})
    assert WORDS.reason({"ruling": "blind"}) == ""


def test_every_ruling_can_be_said():
    from companion.referee.codec import _RULINGS

    assert set(_RULINGS) == KINDS


@pytest.mark.parametrize("kind", events.ViolationKind)
def test_every_violation_has_a_sentence(kind):
    assert WORDS.ruling({"ruling": "violation", "kind": kind, "player": "Ana", "cards": ["9H"], "missing": 2})


@pytest.mark.parametrize("kind", events.NoticeKind)
def test_every_notice_has_a_sentence(kind):
    assert WORDS.ruling({"ruling": "notice", "kind": kind, "player": "Ana", "cards": ["9H"]})


@pytest.mark.parametrize("reason", events.EndReason)
def test_every_end_has_a_sentence(reason):
    assert WORDS.ruling({"ruling": "game_over", "winner": "Ana", "reason": reason})


@pytest.mark.parametrize("why", events.QuestionKind)
def test_every_question_has_a_sentence(why):
    assert WORDS.ruling({"ruling": "question", "about": "Ana", "choices": ["9?", "yes"], "why": why, "card": "KS"})


def test_every_state_setting_rule_and_variant_has_words():
    wanted = [f"chip.{chip}" for chip in Chip]
    wanted += [f"rule.{rule}" for rule in RULEBOOK]
    wanted += [f"variant.{entry.name}" for entry in VARIANTS]
    wanted += [f"preset.{entry.name}" for entry in PRESETS]
    wanted += [f"setting.{setting.key}.title" for setting in SETTINGS]
    assert not [key for key in wanted if key not in WORDS]
    for setting in SETTINGS:
        for value in setting.values:
            assert WORDS.setting(setting.key, value)


def test_an_unknown_language_is_named_with_those_there_are():
    with pytest.raises(NoLanguage, match="no language 'xx'; there are: en"):
        speak("xx")


@pytest.mark.parametrize("rule", ["war_down=", "war_down=x.y", "ask_above=9", "moon=full", "moon", ""])
def test_a_house_rule_that_is_not_known_is_said_as_it_is_written(rule, caplog):
    assert speak("en").house(rule) == rule
    assert not caplog.records
