"""What does it look like? Draws cost.svg and ratios.svg beside this file. Needs matplotlib.

    python benchmarks/plot.py

cost.svg: seconds spent on one streamed file write, the value read after every fragment, against
its length. Parsers that start anew on each fragment cost the square of the length.
ratios.svg: ours over the program without a live value, document by document.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from bench_stream import stream_times, text_pieces
from corpora import CORPORA, file_write, fragments, fresh
from loops import feed_and_value, naive
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from measure import Cost, Work, race
from peers import STREAM, StreamPeer, present

from fragjson import loads

HERE = Path(__file__).parent

LENGTHS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)

OURS = "fragjson"
NAIVE = "append all, one json.loads\n(no live value)"
OURS_COLOUR, NAIVE_COLOUR = "#c2410c", "#6b7280"
OTHER_COLOURS = (
    "#1d4ed8", "#0e7490", "#7c3aed", "#15803d", "#a16207", "#be185d", "#4d7c0f", "#334155",
)  # fmt: skip


def main() -> None:
    mpl.rcParams["svg.hashsalt"] = "fragjson"  # the same file for the same figures
    mpl.rcParams["svg.fonttype"] = "none"
    mpl.rcParams["font.family"] = "sans-serif"
    for name, figure in (("cost", cost_figure()), ("ratios", ratios_figure())):
        path = HERE / f"{name}.svg"
        figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
        print(f"wrote {path.name}")


def stream_costs(found: Sequence[StreamPeer]) -> dict[str, list[Cost]]:
    """Return the cost of a file write at each length, for everybody."""
    costs: dict[str, list[Cost]] = {OURS: [], NAIVE: [], **{peer.name: [] for peer in found}}
    for length in LENGTHS:
        text = file_write(length)

        def pieces(text: str = text) -> list[str]:
            return fragments(fresh(text))

        best = race({OURS: Work(feed_and_value, pieces), NAIVE: Work(naive, pieces)}, budget=1.0)
        for name, seconds in best.items():
            costs[name].append(Cost(seconds))
        for peer in found:
            costs[peer.name].append(peer.cost(text, pieces()))
    return costs


def cost_figure() -> Figure:
    found, absent = present(STREAM)
    print("\n".join(absent))
    found = [peer for peer in found if peer.shows == "value"]
    costs = stream_costs(found)
    figure = Figure(figsize=(8, 5.2))
    axes = figure.add_subplot()
    others = iter(OTHER_COLOURS)
    for name, line in costs.items():
        reached = [
            (length, cost)
            for length, cost in zip(LENGTHS, line, strict=True)
            if cost.how != "at least"
        ]
        style: dict[str, Any] = {"color": NAIVE_COLOUR, "linestyle": "--", "linewidth": 1.5}
        if name == OURS:
            style = {"color": OURS_COLOUR, "linewidth": 3}
        elif name != NAIVE:
            style = {"color": next(others), "linewidth": 1.2}
        lengths = [length for length, _ in reached]
        seconds = [cost.seconds for _, cost in reached]
        axes.plot(lengths, seconds, label=name, **style)
        for length, cost in reached:
            face = "white" if cost.how == "sampled" else style["color"]
            axes.plot(
                length, cost.seconds, marker="o", markersize=4, color=style["color"], mfc=face
            )
    axes.set(xscale="log", yscale="log", xlabel="length of the streamed text", ylabel="seconds")
    axes.xaxis.set_major_formatter(FuncFormatter(length_word))
    axes.yaxis.set_major_formatter(FuncFormatter(seconds_word))
    axes.set_title("A value after every fragment of about 4 characters", loc="left")
    axes.grid(visible=True, which="major", color="#e5e7eb")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    axes.annotate(
        "hollow: estimated from prefixes", (0.99, 0.02), xycoords="axes fraction", ha="right",
        color=NAIVE_COLOUR, fontsize=8,
    )  # fmt: skip
    return figure


def length_word(length: float, _: object) -> str:
    return f"{length / 1e6:g} MB" if length >= 1e6 else f"{length / 1e3:g} KB"


def seconds_word(seconds: float, _: object) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:g} µs"
    return f"{seconds * 1e3:g} ms" if seconds < 1 else f"{seconds:,.0f} s"


def ratios_figure() -> Figure:
    rows: dict[str, tuple[float, float, float]] = {}
    for corpus in CORPORA.values():
        times = stream_times(text_pieces(corpus, 4), naive)
        value, feed = times["value"] / times["naive"], times["feed"] / times["naive"]
        best = race({"ours": Work(loads, corpus.fresh), "json": Work(json.loads, corpus.fresh)})
        rows[corpus.name] = value, feed, best["ours"] / best["json"]
    labels = (
        "feed + live value ÷ append all, one json.loads",
        "feed only ÷ the same",
        "loads ÷ json.loads",
    )
    colours = (OURS_COLOUR, "#fb923c", "#1d4ed8")
    figure = Figure(figsize=(8, 5.2))
    axes = figure.add_subplot()
    height = 0.26
    for number, (label, colour) in enumerate(zip(labels, colours, strict=True)):
        places = [at + (number - 1) * height for at in range(len(rows))]
        widths = [ratios[number] for ratios in rows.values()]
        bars = axes.barh(places, widths, height * 0.9, color=colour, label=label)
        axes.bar_label(bars, fmt="%.2f", padding=3, fontsize=8)
    axes.axvline(1, color=NAIVE_COLOUR, linewidth=1, linestyle="--")
    axes.set_yticks(range(len(rows)), list(rows))
    axes.invert_yaxis()
    axes.set_title("Time, as a ratio: left of the line is faster", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), frameon=False, ncols=1)
    return figure


if __name__ == "__main__":
    main()
