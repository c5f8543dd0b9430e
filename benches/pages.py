#!/usr/bin/env python3
"""`awr report` of a month of two instances, and `flame` of a large perf script beside inferno.

Usage: benches/pages.py ISOTHERM [--inferno FOLDER] [--days 30] [--copies 1800] [--rounds 3]

AWR's tables come from web-tests/awr-history.mjs. The perf script is docs/examples/stress.perf.gz, written again and
again with its times moved on. FOLDER holds inferno-collapse-perf and inferno-flamegraph (`cargo install inferno`);
without it `flame` runs alone. Prints medians of wall time, processor time and the size of the page. Ends with 1 if a
profile does not hold all samples that were written.
"""

import argparse
import gzip
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from usage import usage

ROOT = Path(__file__).resolve().parent.parent
TIME = re.compile(rb"(\s\d+\s+)(\d+\.\d+)(:\s+)(\d+)(\s)")


def perf_script(path, copies):
    """The samples written, and the sum of their periods (which is what inferno counts)."""
    with gzip.open(ROOT / "docs/examples/stress.perf.gz") as file:
        samples = file.read().strip(b"\n").split(b"\n\n")
    heads = [TIME.search(sample) for sample in samples]
    times = [float(head[2]) for head in heads]
    length = max(times) - min(times) + 0.002
    with path.open("wb") as file:
        for copy in range(copies):
            for sample, head, time in zip(samples, heads, times):
                moved = b"%.6f" % (time + copy * length)
                file.write(sample[: head.start(2)] + moved + sample[head.end(2) :] + b"\n\n")
    return len(samples) * copies, sum(int(head[4]) for head in heads) * copies


def measured(name, command, page, rounds):
    """Prints the medians of some runs of a command that writes a page."""
    walls, processors, peaks = [], [], []
    for _ in range(rounds):
        status, wall, processor, peak, said = usage(command, "/dev/null")
        if status != 0:
            sys.exit(said)
        walls.append(wall)
        processors.append(processor)
        peaks.append(peak)
    figures = [statistics.median(of) for of in (walls, processors, peaks)]
    size = page.stat().st_size / 2**20
    print(f"{name}: {figures[0]:.2f} s wall, {figures[1]:.2f} s processor, {figures[2]:.0f} MiB, a page of {size:.2f} MiB")


def awr(asked, folder):
    tables = folder / "awr"
    subprocess.run(["node", ROOT / "web-tests/awr-history.mjs", tables, str(asked.days), "2"], check=True, stdout=subprocess.DEVNULL)
    files = sorted(tables.glob("*.csv"))
    rows = sum(file.read_bytes().count(b"\n") - 1 for file in files)
    size = sum(file.stat().st_size for file in files) / 1e6
    page = folder / "awr.html"
    report = [asked.isotherm, "awr", "report", str(tables), "-o", str(page), "--force"]
    measured(f"awr report of {rows:,} rows, {size:.0f} MB", report, page, asked.rounds)


def flame(asked, folder):
    script, page = folder / "stress.perf", folder / "flame.html"
    samples, periods = perf_script(script, asked.copies)
    print(f"a perf script of {samples:,} samples, {script.stat().st_size / 1e9:.2f} GB")
    ours = [asked.isotherm, "flame", str(script)]
    shown = subprocess.run([*ours, "--format", "json", "-o", "-"], check=True, capture_output=True)
    counted = sum(one["total"] for one in json.loads(shown.stdout)["inputs"])
    if counted != samples:
        sys.exit(f"isotherm counts {counted} samples")
    measured("flame", [*ours, "-o", str(page), "--force"], page, asked.rounds)
    if asked.inferno:
        collapse = Path(asked.inferno) / "inferno-collapse-perf"
        folded = subprocess.run([collapse, script], check=True, capture_output=True, text=True).stdout
        total = sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())
        if total not in (samples, periods):
            sys.exit(f"inferno counts {total}, not {samples} samples of {periods} together")
        page = folder / "inferno.svg"
        line = 'set -o pipefail; "$1"/inferno-collapse-perf "$2" | "$1"/inferno-flamegraph > "$3"'
        theirs = ["bash", "-c", line, "bash", asked.inferno, str(script), str(page)]
        measured("inferno-collapse-perf | inferno-flamegraph", theirs, page, asked.rounds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("isotherm")
    parser.add_argument("--inferno")
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--copies", type=int, default=1800)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        awr(asked, Path(folder))
        flame(asked, Path(folder))


if __name__ == "__main__":
    main()
