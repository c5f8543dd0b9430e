#!/usr/bin/env python3
"""Processor time of a table that is known by name, beside `--columns` with the same series.

Usage: benches/named.py ISOTHERM [--rows 1500000] [--pairs 12]

Makes a result log of JMeter up, reads it in both ways in turn, and prints the ratio within a pair. Both must count
the same events.
"""

import argparse
import json
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

from usage import usage

LABELS = ["Home", "Login", "Search", "Cart", "Checkout", "Item", "List", "Logout"]
HEAD = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
    "sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect"
)
COLUMNS = "start_ms,latency_ms,label,-,-,-,-,outcome" + ",-" * 9


def write(path, rows):
    chance = random.Random(7)
    at = 1_764_000_000_000
    with path.open("w") as file:
        file.write(HEAD + "\n")
        for row in range(rows):
            at += chance.randrange(3)
            label, elapsed = chance.choice(LABELS), int(chance.lognormvariate(3, 1))
            success = "true" if chance.random() < 0.99 else "false"
            file.write(
                f"{at},{elapsed},{label},200,OK,Users 1-{row % 50},text,{success},,1234,321,50,50,"
                f"http://x/{label},{elapsed},0,1\n"
            )


def processor_s(command):
    status, _, processor, _, said = usage(command, "/dev/null")
    if status != 0:
        raise SystemExit(said)
    return processor


def events(command):
    output = subprocess.run([*command, "--format", "json"], check=True, capture_output=True, text=True)
    return sum(series["events"] for series in json.loads(output.stdout)["series"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("isotherm")
    parser.add_argument("--rows", type=int, default=1_500_000)
    parser.add_argument("--pairs", type=int, default=12)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory) / "run.jtl"
        write(log, asked.rows)
        named = [asked.isotherm, "stats", "--read-threads", "1", str(log)]
        columns = [*named, "--columns", COLUMNS]
        if events(named) != asked.rows or events(columns) != asked.rows:
            raise SystemExit("not all rows were read")
        pairs = []
        for pair in range(asked.pairs):
            first, second = (named, columns) if pair % 2 else (columns, named)
            times = {id(first): processor_s(first), id(second): processor_s(second)}
            pairs.append((times[id(named)], times[id(columns)]))
        ratios = sorted(one / other for one, other in pairs)
        print(f"by name {statistics.median(one for one, _ in pairs):.2f} s, ", end="")
        print(f"by --columns {statistics.median(other for _, other in pairs):.2f} s, ", end="")
        print(f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
