#!/usr/bin/env python3
"""How fast SQL traces and tables are read, side by side with `rg` and DuckDB on the same files.

    benches/traces.py target/release/isotherm [--mib 1024] [--runs 5] [--files 107]

Makes three traces up (`reads`: single block reads and little else; `mixed`: eight events with calls between
them; `statements`: two different statements for nine waits), a CSV of times and latencies, and many traces of
4 MiB, runs the commands on each in turn, in a random order within each round, and prints medians of wall and
processor time, speeds and peak memory. `rg -c '^WAIT #'` and DuckDB's read_csv with GROUP BY are left out where
they are not installed. Ends with 1 if isotherm counts other waits than were written, or other lines of the CSV.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

from frames import measured, trace

HEAD = "Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production\n"
SQL = """import duckdb, sys
duckdb.sql("SET threads=2")
duckdb.sql("SELECT floor(time) AS s, floor(log2(latency) * 8) AS b, count(*), sum(latency) FROM read_csv('%s') GROUP BY s, b").fetchall()
"""


def stamp(us):
    minute = us // 60_000_000
    return f"*** 2026-11-21T{8 + minute // 60:02}:{minute % 60:02}:00.000000+00:00\n"


def waits(path, mib, statement_every):
    """Single block reads, a stamp each minute; a new statement after so many of them, if any."""
    draw, us, next_stamp, written, number = random.Random(1), 0, 0, 0, 0
    with open(path, "w", encoding="ascii") as file:
        written += file.write(HEAD)
        while written < mib << 20:
            lines = []
            for _ in range(5_000):
                us += draw.randrange(700)
                if us >= next_stamp:
                    lines.append(stamp(next_stamp))
                    next_stamp += 60_000_000
                tim = 7_773_284_556_264 + us
                if statement_every and number % statement_every == 0:
                    text = f"select c{number} from t where k = :1"
                    lines.append(
                        f"PARSING IN CURSOR #140374785423992 len={len(text)} dep=0 uid=9 oct=3 lid=9 tim={tim} "
                        f"hv={number} ad='7f' sqlid='{number:013}'\n{text}\nEND OF STMT\n"
                    )
                number += 1
                lines.append(
                    f"WAIT #140374785423992: nam='db file sequential read' ela= {int(draw.lognormvariate(6, 1.5))} "
                    f"file#=7 block#={draw.randrange(10**6)} blocks=1 obj#=8042 tim={tim}\n"
                )
            written += file.write("".join(lines))


def table(path, mib):
    """A header and lines of `time,latency`; returns how many."""
    draw, at, written, lines = random.Random(2), 1_763_700_000.0, 0, 0
    with open(path, "w", encoding="ascii") as file:
        written += file.write("time,latency\n")
        while written < mib << 20:
            rows = []
            for _ in range(5_000):
                at += draw.random() / 1_000
                rows.append(f"{at:.6f},{draw.lognormvariate(6, 1.5):.1f}\n")
            lines += len(rows)
            written += file.write("".join(rows))
    return lines


def counted(isotherm, file, options):
    """The events of a file, as isotherm counts them."""
    found = subprocess.run([isotherm, "stats", file, *options, "--format", "json"], check=True, capture_output=True)
    read = json.loads(found.stdout)["input"]
    return read["events"] + sum(waits["count"] for waits in read.get("idle_left_out", []))


def compare(title, size, commands, runs):
    """Runs commands in turn and prints what each took."""
    taken = {name: [] for name in commands}
    for _ in range(runs):
        for name in random.sample(list(commands), len(commands)):
            taken[name].append(measured(commands[name], os.devnull))
    for name, times in taken.items():
        wall, cpu, memory = (statistics.median(column) for column in zip(*times))
        walls = [time[0] for time in times]
        print(
            f"| {title} | {name} | {wall:.2f} s ({min(walls):.2f} to {max(walls):.2f}) | {cpu:.2f} s | "
            f"{size / wall / 1e9:.2f} GB/s | {memory:.0f} MiB |", flush=True
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("isotherm")
    parser.add_argument("--mib", type=int, default=1_024, help="the length of a file (default 1024)")
    parser.add_argument("--files", type=int, default=107, help="how many traces are read together (default 107)")
    parser.add_argument("--runs", type=int, default=5, help="how often each command is run (default 5)")
    args = parser.parse_args()
    isotherm, failed = os.path.abspath(args.isotherm), False
    has_duckdb = subprocess.run([sys.executable, "-c", "import duckdb"], capture_output=True).returncode == 0
    print("| file | command | wall | processor | speed | peak memory |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        path = lambda name: os.path.join(directory, name)
        waits(path("reads.trc"), args.mib, 0)
        trace(path("mixed.trc"), args.mib, 7)
        waits(path("statements.trc"), args.mib, 4)
        for name in ("reads", "mixed", "statements"):
            file = path(f"{name}.trc")
            commands = {"`stats`": [isotherm, "stats", file],
                        "`stats --read-threads 1`": [isotherm, "stats", "--read-threads", "1", file],
                        "`trace`": [isotherm, "trace", file]}
            if name == "mixed":
                commands["`report`"] = [isotherm, "report", file, "--force", "-o", path("page.html")]
            if shutil.which("rg"):
                commands["`rg -c '^WAIT #'`"] = ["rg", "-c", "^WAIT #", file]
            compare(name, os.path.getsize(file), commands, args.runs)
            with open(file, "rb") as text:
                written = sum(line.startswith(b"WAIT #") for line in text)
            found = counted(isotherm, file, [])
            if found != written:
                failed = True
                print(f"{name}: {found:,} waits of {written:,}")
            os.remove(file)
        file, columns = path("events.csv"), ["--unit", "us"]
        lines = table(file, args.mib)
        commands = {"`stats`": [isotherm, "stats", file, *columns],
                    "`stats --read-threads 1`": [isotherm, "stats", "--read-threads", "1", file, *columns]}
        if has_duckdb:
            commands["DuckDB, two threads"] = [sys.executable, "-c", SQL % file]
        compare("CSV", os.path.getsize(file), commands, args.runs)
        found = counted(isotherm, file, columns)
        if found != lines:
            failed = True
            print(f"CSV: {found:,} lines of {lines:,}")
        os.remove(file)
        files = [path(f"{number}.trc") for number in range(args.files)]
        for seed, file in enumerate(files):
            trace(file, 4, seed)
        commands = {"`stats`": [isotherm, "stats", *files],
                    "`report`": [isotherm, "report", *files, "--force", "-o", path("page.html")]}
        compare(f"{len(files)} traces", sum(map(os.path.getsize, files)), commands, args.runs)
    sys.exit(failed)


if __name__ == "__main__":
    main()
