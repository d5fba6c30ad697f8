"""`python -m vision`: read pictures, score networks, measure speed, train."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from vision.types import ENGINES, Detector, VisionError

#: Commands that take their own arguments, and where each is written.
ELSEWHERE = {
    "train": ("vision.lab.training.cli", "render, train and check the networks"),
    "export": ("vision.lab.training.export", "write trained networks for the program"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Gives 0 when done, 1 when the job failed; the parser exits with 2 on wrong words."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if words and words[0] in ELSEWHERE:
            return _elsewhere(words[0], words[1:])
        arguments = _parser().parse_args(words)
        return int(_COMMANDS[arguments.command](arguments))
    except VisionError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; Python would complain once more at exit
        return 1
    except KeyboardInterrupt:
        return 1


def _elsewhere(command: str, words: list[str]) -> int:
    module, _ = ELSEWHERE[command]
    try:
        run = importlib.import_module(module).main
    except ModuleNotFoundError as error:
        raise VisionError(f"{command} needs {error.name}: install the program with its extra `train`.") from None
    return int(run(words) or 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vision", description="Finds and reads playing cards in pictures.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    read = commands.add_parser("read", help="what cards are in these pictures")
    read.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a picture, or a folder of pictures")
    evaluate = commands.add_parser("evaluate", help="score the networks over labelled pictures")
    evaluate.add_argument("--labels", required=True, type=Path, metavar="manifest.jsonl")
    evaluate.add_argument("--enrol", action="store_true", help="learn a pack from one photo a card, score the others")
    benchmark = commands.add_parser("benchmark", help="measure the speed on this computer")
    benchmark.add_argument("--alone", action="store_true", help="nothing else that is installed beside it")
    for command in (read, evaluate, benchmark):
        command.add_argument("--json", action="store_true", help="machine-readable output")
        command.add_argument("--weights", type=Path, help="a folder with a manifest.toml, or one .pt file")
        command.add_argument("--engine", choices=ENGINES, default="auto")
    for command in (read, evaluate):
        command.add_argument("--pack", type=Path, metavar="FILE.npz", help="an enrolled pack to read with")
    for name, (_, what) in ELSEWHERE.items():
        commands.add_parser(name, help=what, add_help=False)
    return parser


def _detector(arguments: argparse.Namespace) -> Detector:
    from vision.detection.engines import open_detector
    from vision.packs.pack import with_pack

    detector = open_detector(arguments.weights, arguments.engine)
    return with_pack(detector, arguments.pack) if arguments.pack else detector


def _read(arguments: argparse.Namespace) -> int:
    from vision.read import format_line, read_lines

    failed = False
    for line in read_lines(arguments.paths, _detector(arguments)):
        failed |= "error" in line
        print(json.dumps(line, ensure_ascii=False) if arguments.json else format_line(line), flush=True)
    if failed:
        print("Some pictures could not be read.", file=sys.stderr)
    return int(failed)


def _evaluate(arguments: argparse.Namespace) -> int:
    from vision.lab.evaluation.enrolment_gain import evaluate_enrolled, format_gain
    from vision.lab.evaluation.evaluate import evaluate
    from vision.lab.evaluation.report import format_scores

    score, tell = (evaluate_enrolled, format_gain) if arguments.enrol else (evaluate, format_scores)
    result = score(arguments.labels, _detector(arguments))
    print(json.dumps(result) if arguments.json else tell(result))
    return 0


def _benchmark(arguments: argparse.Namespace) -> int:
    from vision.lab.benchmark.benchmark import benchmark, format_benchmark

    result = benchmark(arguments.weights, arguments.engine, arguments.alone)
    print(json.dumps(result) if arguments.json else format_benchmark(result))
    return 0


_COMMANDS = {"read": _read, "evaluate": _evaluate, "benchmark": _benchmark}

if __name__ == "__main__":
    sys.exit(main())
