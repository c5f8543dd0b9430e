#!/usr/bin/env python3
"""Wall time, processor time and peak memory of every command on ten million lines of 1,000 series.

    benches/memory.py target/release/isotherm [--lines 10000000] [--room DIR] [--only show,report]

An hour of `time,latency,name`: a few series have most of the events, as is usual, each has a latency
of its own with a long tail, and in the 31st minute one series in ten takes ten times as long. Prints one
Markdown table row for each command, with the events it accounts for; what a command says goes to standard
error. Ends with 1 if an event is missing. Figures are kept in README.md.
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

SERIES, LENGTH, SLOW = 1_000, 3_600, (1_800, 1_860)
START = 1_790_000_000


def write_events(path, lines):
    chance = random.Random(42)
    weights = [1 / (rank + 10) for rank in range(SERIES)]
    usual = [math.exp(chance.uniform(4, 9)) for _ in range(SERIES)]
    tail = [math.exp(chance.gauss(0, 0.6)) * (20 if n % 500 == 0 else 1) for n in range(4_096)]
    done = 0
    with open(path, "w") as out:
        while done < lines:
            some = min(100_000, lines - done)
            names = chance.choices(range(SERIES), weights, k=some)
            out.write("".join(line(done + n, name, usual, tail, lines) for n, name in enumerate(names)))
            done += some


def line(number, name, usual, tail, lines):
    at = LENGTH * number / lines
    slow = 10 if SLOW[0] <= at < SLOW[1] and name % 10 == 3 else 1
    latency = usual[name] * tail[(number * 2_654_435_761 >> 7) & 4_095] * slow
    return f"{START + at:.4f},{latency:.0f},s{name:03}\n"


class Bench:
    def __init__(self, binary, room, lines):
        self.binary, self.room, self.lines, self.short = binary, room, lines, False

    def run(self, command, keep=None):
        """Wall seconds, processor seconds, peak MiB of one run; its output goes to `keep`."""
        begin = time.monotonic()
        output = open(keep, "wb") if keep else subprocess.DEVNULL
        process = subprocess.Popen([self.binary, *command], stdout=output, stderr=subprocess.PIPE)
        said = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        for text in said.splitlines()[:8]:
            print(f"    {text[:300]}", file=sys.stderr)
        if status and command[0] != "compare":
            sys.exit(f"{' '.join(command)} failed with {status}")
        return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def row(self, what, command, events=None, keep=None):
        print(f"{what}: {' '.join(command)}", file=sys.stderr)
        wall, cpu, memory = self.run(command, keep)
        found = events() if events else None
        if found is not None and found != self.lines:
            self.short = True
        counted = "-" if found is None else f"{found:,}"
        print(f"| `{what}` | {wall:.1f} s | {cpu:.1f} s | {memory:.0f} MiB | {counted} |", flush=True)

    def in_recording(self, heat):
        def events():
            stats = subprocess.run([self.binary, "stats", "--format", "json", heat], capture_output=True)
            return json.loads(stats.stdout)["input"]["events"]
        return events


def of_stats(path):
    return lambda: json.load(open(path))["input"]["events"]


def of_report(path):
    """The entry of all series together: the others are parts of it."""
    return lambda: max(entry["events"] for entry in json.load(open(path))["entries"])


def of_csv(path):
    return lambda: sum(int(row.split(",")[7] or 0) for n, row in enumerate(open(path)) if n)


def of_jsonl(path):
    return lambda: sum(sum(json.loads(row).get("counts", [])) for row in open(path))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("isotherm")
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--room", help="a directory in which the files are kept")
    parser.add_argument("--only", help="only commands whose name contains one of these")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as room:
        room = args.room or room
        bench = Bench(os.path.abspath(args.isotherm), room, args.lines)
        in_room = lambda name: os.path.join(room, name)
        text, heat, out = in_room("events.csv"), in_room("x.heat"), in_room("out")
        if not os.path.exists(text):
            # In another process: the memory of this one would count as that of its children.
            if os.fork() == 0:
                write_events(text, args.lines)
                os._exit(0)
            os.wait()
        measure(bench, (text, heat, out), args.only)
    sys.exit(1 if bench.short else 0)


def measure(bench, files, only):
    text, heat, out = files
    columns = ["--columns", "time,latency,name", "--unit", "us"]
    page, again, jsonl, csv = out + ".html", out + ".heat", out + ".jsonl", out + ".csv"
    halves = ["--a", "..30m", "--b", "30m.."]
    rows = [
        ("record, text", ["record", text, "-o", heat, *columns], bench.in_recording(heat), None),
        ("stats, text", ["stats", text, "--format", "json", *columns], of_stats(out), out),
        ("stats, recording", ["stats", heat, "--format", "json"], of_stats(out), out),
        ("stats, recording, table", ["stats", heat], None, out),
        ("show, text", ["show", text, "--width", "100", "--height", "40", *columns], None, out),
        ("show, recording", ["show", heat, "--width", "100", "--height", "40"], None, out),
        ("report, text", ["report", text, "-o", page, "--force", *columns], None, None),
        ("report, recording", ["report", heat, "-o", page, "--force"], None, None),
        ("report as JSON", ["report", heat, "--format", "json", "-o", "-"], of_report(out), out),
        ("compare with itself", ["compare", heat, heat], None, out),
        ("compare of two halves", ["compare", heat, *halves], None, out),
        ("replay", ["replay", heat, "--speed", "max", "--ui", "stream"], None, out),
        ("export to jsonl", ["export", heat, "--format", "jsonl"], of_jsonl(jsonl), jsonl),
        ("export to csv", ["export", heat, "--format", "csv"], of_csv(csv), csv),
        ("import of jsonl", ["import", jsonl, "-o", again], bench.in_recording(again), None),
        ("import of csv", ["import", csv, "-o", again], bench.in_recording(again), None),
        ("import of text", ["import", text, "-o", again, *columns], bench.in_recording(again), None),
    ]
    print("| what | wall | processor | peak memory | events |\n|---|---|---|---|---|")
    for what, command, events, keep in rows:
        if only and not any(word in what for word in only.split(",")):
            continue
        for made in (heat, again):
            if made in command and command[0] in ("record", "import") and os.path.exists(made):
                os.remove(made)
        bench.row(what, command, events, keep)


main()
