#!/usr/bin/env python3
"""Measures how long a week of a Prometheus histogram takes to become a heat map.

    benches/prometheus_week.py target/release/isotherm

Fills a server of its own with one histogram of 20 buckets, a sample every 15 seconds, and shows it with
`isotherm show`. Ends with 1 if `isotherm stats` counts other events than were written.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.request

from frames import measured

DAYS, STEP_S, RUNS = 7, 15, 3
BOUNDS = [2**power * 1e-6 for power in range(4, 23)]


def history(file, end):
    """Writes the samples; returns the events between the first and the last."""
    draw, totals, sum_s, first = random.Random(1), [0] * (len(BOUNDS) + 1), 0.0, 0
    file.write("# TYPE week_seconds histogram\n")
    for at in range(end - DAYS * 86_400, end, STEP_S):
        for _ in range(draw.randrange(390)):
            latency = draw.lognormvariate(-8, 1.5)
            bucket = next((at for at, bound in enumerate(BOUNDS) if latency <= bound), len(BOUNDS))
            totals[bucket] += 1
            sum_s += latency
        reached = 0
        for bound, count in zip([*map(repr, BOUNDS), "+Inf"], totals):
            reached += count
            file.write(f'week_seconds_bucket{{le="{bound}"}} {reached} {at}\n')
        file.write(f"week_seconds_sum {sum_s} {at}\nweek_seconds_count {reached} {at}\n")
        first = first or reached
    file.write("# EOF\n")
    return reached - first


def ready(place):
    for _ in range(300):
        try:
            return urllib.request.urlopen(f"http://{place}/-/ready").read()
        except OSError:
            time.sleep(0.1)
    sys.exit("the server does not start")


def main():
    isotherm, place = os.path.abspath(sys.argv[1]), "127.0.0.1:19099"
    with tempfile.TemporaryDirectory() as directory:
        samples, data = (os.path.join(directory, name) for name in ("samples.txt", "data"))
        with open(samples, "w", encoding="ascii") as file:
            events = history(file, int(time.time()) // STEP_S * STEP_S - STEP_S)
        blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", samples, data]
        subprocess.run(blocks, check=True, stdout=subprocess.DEVNULL)
        settings = os.path.join(directory, "settings.yml")
        with open(settings, "w", encoding="ascii") as file:
            file.write("{}\n")
        server = subprocess.Popen(
            ["prometheus", f"--config.file={settings}", f"--storage.tsdb.path={data}", f"--web.listen-address={place}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            ready(place)
            address = f"prom+http://{place}/?query=week_seconds_bucket&range={DAYS * 24 + 1}h"
            stats = subprocess.run([isotherm, "stats", address, "--format", "json"], check=True, capture_output=True)
            found = json.loads(stats.stdout)["input"]["events"]
            for _ in range(RUNS):
                wall, cpu, memory = measured([isotherm, "show", address], os.devnull)
                print(f"{wall:.2f} s of wall time, {cpu:.2f} s of processor time, {memory:.0f} MiB")
        finally:
            server.terminate()
            server.wait()
        print(f"{found:,} events of {events:,}")
        sys.exit(found != events)


if __name__ == "__main__":
    main()
