"""`python -m vision train fetch|render|reader|finder|exam|tune|foreign`: the steps from artwork to two networks."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from vision.lab.training.run_settings import Run
from vision.types import VisionError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one step of the training; returns the exit code."""
    args = _parser().parse_args(argv)
    steps = {"fetch": _fetch, "render": _render, "exam": _exam, "tune": _tune, "reader": _reader, "finder": _finder}
    steps["foreign"] = _foreign
    steps[args.step](args)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vision train", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    fetch = steps.add_parser(
        "fetch", help="fetch free card artwork, fonts, table tops and photographs from package archives"
    )
    fetch.add_argument("into", type=Path)
    render = steps.add_parser("render", help="render pictures and cards with exact labels")
    render.add_argument("out", type=Path)
    render.add_argument("--art", type=Path, help="folder made by `fetch`; without it only made decks are drawn")
    render.add_argument("--textures", type=Path, help="folder of PNG pictures of real surfaces")
    render.add_argument("--fonts", type=Path, help="folder of .ttf and .otf files for indices of made decks")
    render.add_argument("--photos", type=Path, help="folder of JPEG photographs that boxes and papers are printed with")
    render.add_argument("--scenes", type=int, default=10_000)
    render.add_argument("--val-scenes", type=int, default=600)
    render.add_argument("--made", type=int, default=60)
    render.add_argument("--tables", type=int, default=120)
    render.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    render.add_argument("--seed", type=int, default=0)
    render.add_argument("--wide", action="store_true", help="also rare decks, lamps, low cameras, bent cards")
    render.add_argument("--hands", action="store_true", help="label held cards and hands as classes of the finder")
    exam = steps.add_parser("exam", help="render labelled pictures of held-out decks for `evaluate`")
    exam.add_argument("out", type=Path)
    exam.add_argument("--art", type=Path, help="folder made by `fetch`; without it made decks alone")
    exam.add_argument("--scenes", type=int, default=100, help="pictures a family of decks")
    exam.add_argument("--seed", type=int, default=0)
    exam.add_argument("--free", action="store_true", help="ask only for cards that lie free, 60 pixels and higher")
    tune = steps.add_parser("tune", help="choose the manifest's thresholds on rendered pictures")
    tune.add_argument("weights", type=Path, help="folder with a manifest.toml")
    tune.add_argument("labels", type=Path, help="the manifest.jsonl that `exam` wrote")
    foreign = steps.add_parser("foreign", help="how decks with foreign letters are read, without and with their pack")
    foreign.add_argument("--weights", type=Path, help="folder with a manifest.toml")
    foreign.add_argument("--fonts", type=Path, help="folder of font files; without it no Cyrillic letters")
    foreign.add_argument("--decks", type=int, default=8)
    foreign.add_argument("--scenes", type=int, default=16, help="pictures a deck")
    for name, size, batch in (("reader", 160, 64), ("finder", 320, 8)):
        step = steps.add_parser(name, help=f"train the {name} on rendered data; goes on where it was interrupted")
        step.add_argument("data", type=Path, nargs="+", help="folders made by `render`; the first one validates")
        step.add_argument("--runs", type=Path, default=Path("runs"))
        step.add_argument("--name", default=name)
        step.add_argument("--hours", type=float, default=1.0)
        step.add_argument("--epochs", type=int, default=100)
        step.add_argument("--start", type=Path, help="weights (.pt) to go on from; the finder also takes a reader")
        step.add_argument("--rate", type=float, help="learning rate to begin with")
        step.add_argument("--size", type=int, default=size)
        step.add_argument("--batch", type=int, default=batch)
        step.add_argument("--seed", type=int, default=0)
        step.add_argument("--threads", type=int, default=os.cpu_count(), help="processor cores to use")
        step.add_argument("--loaders", type=int, default=0, help="processes that prepare pictures beside the training")
        step.add_argument("--bfloat16", action="store_true", help="forward pass in bfloat16 (processors with AMX)")
        step.add_argument("--device", default="cpu", help="as ultralytics names it: cpu, mps, 0, or 0,1 for two GPUs")
    return parser


def _fetch(args: argparse.Namespace) -> None:
    from vision.lab.render.decks.artwork import fetch
    from vision.lab.render.scenes.downloads import fetch_props

    fetch(args.into)
    fetch_props(args.into)


def _render(args: argparse.Namespace) -> None:
    from vision.lab.training.dataset import Recipe, render

    fonts = _fonts(args.fonts)
    render(
        Recipe(
            args.out, args.art, args.textures, fonts, args.photos, args.scenes, args.val_scenes, args.made,
            args.tables, seed=args.seed, workers=args.workers, wide=args.wide, hands=args.hands,
        )
    )  # fmt: skip


def _exam(args: argparse.Namespace) -> None:
    from vision.lab.training.holdout_set import write_exam

    print(write_exam(args.out, args.art, args.scenes, args.seed, args.free))


def _tune(args: argparse.Namespace) -> None:
    from vision.lab.training.holdout_set import best, tried

    rows = []
    for row in tried(args.weights, args.labels):
        rows.append(row)
        print("  ".join(f"{name} {value:.3f}" for name, value in row.items()), flush=True)
    print("best: threshold {threshold}, read_above {read_above}, joker_above {joker_above}".format(**best(rows)))


def _foreign(args: argparse.Namespace) -> None:
    from vision.detection.engines import open_detector
    from vision.lab.training.foreign_decks import foreign
    from vision.packs.enrol import enrolment_networks

    rows = []
    for row in foreign(enrolment_networks(open_detector(args.weights)), args.decks, args.scenes, _fonts(args.fonts)):
        rows.append(row)
        said = "{deck}: {cards} cards, ranks right {without:.4f}, enrolled {with:.4f}; {letters}"
        print(said.format(**row), flush=True)
    cards = sum(row["cards"] for row in rows)
    means = {way: sum(row[way] * row["cards"] for row in rows) / cards for way in ("without", "with")}
    print("all: {cards} cards, ranks right {without:.4f}, enrolled {with:.4f}".format(cards=cards, **means))


def _fonts(folder: Path | None) -> tuple[Path, ...]:
    return tuple(sorted(path for kind in ("*.ttf", "*.otf") for path in folder.rglob(kind))) if folder else ()


def _reader(args: argparse.Namespace) -> None:
    _needs_train_extra()
    from vision.lab.training.trainers import train_reader

    print(train_reader(args.data, _run(args), args.size, args.batch))


def _finder(args: argparse.Namespace) -> None:
    _needs_train_extra()
    from vision.lab.training.trainers import train_finder

    print(train_finder(args.data, _run(args), args.size, args.batch))


def _run(args: argparse.Namespace) -> Run:
    return Run(
        args.runs,
        args.name,
        args.hours,
        args.start,
        args.rate,
        args.seed,
        args.threads,
        args.epochs,
        args.bfloat16,
        args.loaders,
        args.device,
    )


def _needs_train_extra() -> None:
    try:
        import ultralytics  # noqa: F401
    except ImportError:
        raise VisionError('Training needs the extra "train": pip install ".[train]".') from None
