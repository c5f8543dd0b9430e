#!/usr/bin/env python3
"""Measures `isotherm stress redis://` side by side with redis-benchmark on a server of its own.

    cargo build --release && benches/redis_load.py target/release/isotherm

GET of 100 bytes on 10,000 keys that are there, no pipelining, one client thread each, server and
clients on one machine. In each round both run once for every number of connections, taking turns
in who is first; ratios are taken within a round. Printed are medians and ranges, as Markdown, and
for both rate x mean latency / connections, which is 1 where latencies account for all the time
(Little's law). CPU is user and system time of the client process, for each operation.
"""
import argparse
import csv
import json
import statistics
import subprocess
import tempfile
import time

from side_by_side import client

KEYS, PORT = 10_000, 16_399


def ours(binary, address, connections):
    """Operations per second, mean latency and CPU for an operation, in seconds."""
    command = [binary, "stress", address, "--in-flight", str(connections), "--for", "2s",
               "--threads", "1", "--format", "json", "--no-progress", "-q"]
    summary = json.loads(client(command)[0])["summary"]
    assert not summary["faults"], summary["faults"]
    mean = summary["latency"]["response"]["mean_s"]
    return summary["rate"]["per_s"], mean, summary["cpu"]["process_per_operation_s"]


def theirs(place, connections, operations):
    """The same of redis-benchmark."""
    # Its keys are called otherwise: hits both.
    command = ["redis-benchmark", *place, "-c", str(connections), "-P", "1", "-t", "get",
               "-r", str(KEYS), "-n", str(operations), "--csv"]
    output, cpu = client(command)
    row = list(csv.DictReader(output.splitlines()))[-1]
    return float(row["rps"]), float(row["avg_latency_ms"]) / 1e3, cpu / operations


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def compare(binary, rounds, over, address, place, connections):
    mine, other = [], []
    operations = int(2 * theirs(place, connections, 20_000)[0]) + 1
    for number in range(rounds):
        turns = [lambda: mine.append(ours(binary, address, connections)),
                 lambda: other.append(theirs(place, connections, operations))]
        for turn in turns if number % 2 else reversed(turns):
            turn()
    rates = [a[0] / b[0] for a, b in zip(mine, other)]
    cpu = [a[2] / b[2] for a, b in zip(mine, other)]
    little = [statistics.median(run[0] * run[1] / connections for run in runs)
              for runs in (mine, other)]
    median = statistics.median(run[0] for run in mine)
    print(f"| {connections} | {over} | {median / 1e3:.1f}k | {spread(rates)} | {spread(cpu)} "
          f"| {little[0]:.2f}, {little[1]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=7)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        socket = f"{directory}/r.sock"
        server = subprocess.Popen(
            ["redis-server", "--port", str(PORT), "--unixsocket", socket, "--save", "",
             "--appendonly", "no", "--dir", directory], stdout=subprocess.DEVNULL)
        try:
            time.sleep(1)
            client(["redis-benchmark", "-s", socket, "-t", "set", "-d", "100", "-r", str(KEYS),
                    "-n", str(20 * KEYS), "-q"])
            print("| connections | over | operations/s, ours | operations/s, ratio "
                  "| CPU an operation, ratio | rate x mean / connections, ours and theirs |")
            print("|---|---|---|---|---|---|")
            for connections in (1, 8, 50):
                compare(wanted.binary, wanted.rounds, "socket", f"redis://{socket}",
                        ["-s", socket], connections)
                compare(wanted.binary, wanted.rounds, "TCP", f"redis://127.0.0.1:{PORT}",
                        ["-p", str(PORT)], connections)
        finally:
            server.terminate()
            server.wait()


main()
