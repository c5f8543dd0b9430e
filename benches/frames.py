#!/usr/bin/env python3
"""Measures `isotherm frames`: gigabytes a second on one core, several files at a time, ranges against the file.

    benches/frames.py target/release/isotherm

Writes traces of `--files` times `--mib` megabytes to a temporary directory, runs what is compared in turn, in
a random order within each pair, and prints the medians and the ratio within a pair with its interval. Ends with 1
if the rows of a pair are not the same.
"""
import argparse
import collections
import csv
import os
import random
import statistics
import sys
import tempfile

from side_by_side import interval
from usage import usage


def trace(path, mib, seed):
    """A SQL trace of a session: eight events, a stamp each minute, a call for each wait in ten."""
    draw = random.Random(seed)
    events = [
        "db file sequential read", "log file sync", "latch free", "db file scattered read",
        "direct path read", "enq: TX - row lock contention", "buffer busy waits", "log buffer space",
    ]
    microseconds, stamp, written = 0, 0, 0
    with open(path, "w", encoding="ascii") as file:
        file.write("Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production\n")
        while written < mib << 20:
            lines = []
            for _ in range(5_000):
                microseconds += draw.randrange(700)
                if microseconds >= stamp:
                    minute = stamp // 60_000_000
                    lines.append(f"*** 2026-11-21T{8 + minute // 60:02}:{minute % 60:02}:00.000000+00:00\n")
                    stamp += 60_000_000
                tim = 7_773_284_556_264 + microseconds
                ela = int(draw.lognormvariate(6, 1.5))
                lines.append(
                    f"WAIT #140374785423992: nam='{draw.choice(events)}' ela= {ela} file#=7 "
                    f"block#={draw.randrange(10**6)} blocks=1 obj#=8042 tim={tim}\n"
                )
                if draw.randrange(10) == 0:
                    lines.append(
                        f"FETCH #140374785423992:c=12,e=34,p=1,cr=3,cu=0,mis=0,r=1,dep=0,og=1,plh=3,tim={tim}\n"
                    )
            written += file.write("".join(lines))


def measured(command, output):
    """The wall and the processor time of a command, and its peak memory in MiB."""
    status, wall, processor, peak, said = usage(command, output)
    if status:
        sys.exit(f"{' '.join(command)} failed: {said}")
    return wall, processor, peak


def cells(path):
    """What is in each second, series and bucket: the sum, the count, the time waited; and the tallies."""
    found = collections.Counter()
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            tally = "" if row["series"] else row["quality"]
            key = (int(row["start_ns"]) // 10**9, row["series"], row["attributes"], tally, row["lo_ns"])
            for name in ("sum_ns", "count", "waited_ns"):
                found[(*key, name)] += int(row[name] or 0)
    return +found


def pairs(number, one, other, directory):
    """Runs two commands in turn and prints what they took."""
    taken, rows = ([], []), (os.path.join(directory, "one"), os.path.join(directory, "other"))
    for _ in range(number):
        order = [0, 1]
        random.shuffle(order)
        for at in order:
            taken[at].append(measured((one, other)[at][1], rows[at]))
    for at, (name, _) in enumerate((one, other)):
        wall, cpu, memory = (statistics.median(column) for column in zip(*taken[at]))
        print(f"| {name} | {wall:.2f} s | {cpu:.2f} s | {memory:.0f} MiB |")
    for what, column in (("wall", 0), ("processor", 1)):
        ratios = [b[column] / a[column] for a, b in zip(*taken)]
        print(f"| the second to the first, {what}, within a pair | {interval(ratios)} | | |")
    if cells(rows[0]) != cells(rows[1]):
        sys.exit(f"{one[0]} and {other[0]}: the rows differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("isotherm")
    parser.add_argument("--mib", type=int, default=128, help="the length of a file (default 128)")
    parser.add_argument("--files", type=int, default=8, help="how many files (default 8)")
    parser.add_argument("--pairs", type=int, default=7, help="how often each pair is run (default 7)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        files = [os.path.join(directory, f"{number}.trc") for number in range(args.files)]
        for number, file in enumerate(files):
            trace(file, args.mib, number)
        whole = os.path.join(directory, "whole.trc")
        trace(whole, args.mib * args.files, 99)
        size = os.path.getsize(whole)
        cuts = [size * number // 5 for number in range(1, 5)]
        ranges = [f"{whole}@{a}..{b}" for a, b in zip([0, *cuts], [*cuts, ""])]
        frames = [args.isotherm, "frames"]
        one_core = [*frames, "--read-threads", "1"]
        print(f"{args.files} files of {args.mib} MiB, and one of {size / 2**20:.0f} MiB, {args.pairs} pairs")
        print("\n| what | wall | processor | peak memory |\n|---|---|---|---|")
        run = lambda one, other: pairs(args.pairs, one, other, directory)
        run(("the files, one core", [*one_core, *files]), ("the files, `-j 2`", [*frames, "-j", "2", *files]))
        run(("the files, `-j 1`", [*frames, *files]), ("the files, `-j 2`", [*frames, "-j", "2", *files]))
        run(("the large file, one core", [*one_core, whole]), ("its 5 ranges, one core", [*one_core, *ranges]))
        run(("the large file", [*frames, whole]), ("its 5 ranges, `-j 2`", [*frames, "-j", "2", *ranges]))


if __name__ == "__main__":
    main()
