#!/usr/bin/env python3
"""Processor time of `isotherm top` on PostgreSQL: its own, and that of the server's process for it.

Usage: benches/top.py ISOTHERM [--hz 10,100] [--seconds 10] [--clients 8] [--rounds 3]

Starts a PostgreSQL of its own on a unix socket, lets pgbench's clients work in it, and runs `top --once` beside them.
The server's process is found by its application name, and its processor time read twice from /proc. Prints the median
share of a core at each rate.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

SERVER = Path(__file__).resolve().parent.parent / "crates/live/tests/fake/postgres"
TICKS = os.sysconf("SC_CLK_TCK")


def processor_s(pid):
    """User and system time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def backend(folder, user):
    """The server's process for isotherm."""
    query = "select pid from pg_stat_activity where application_name like 'isotherm%'"
    until = time.monotonic() + 20
    while time.monotonic() < until:
        command = ["psql", "-h", folder, "-U", user, "-Atc", query, "postgres"]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        if found:
            return int(found[0])
    sys.exit("isotherm has not connected within 20 s")


def shares(asked, folder, user, hz):
    """The parts of a core that isotherm and its server process take."""
    address = f"postgres://{user}@/postgres?host={folder}"
    command = [asked.isotherm, "top", address, "--once", "--hz", str(hz), "--for", f"{asked.seconds + 5}s"]
    top = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        server = backend(folder, user)
        time.sleep(1)
        began, before = time.monotonic(), [processor_s(pid) for pid in (top.pid, server)]
        time.sleep(asked.seconds)
        length, after = time.monotonic() - began, [processor_s(pid) for pid in (top.pid, server)]
    finally:
        top.terminate()
        top.wait()
    return [(end - begin) / length for begin, end in zip(before, after)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("isotherm")
    parser.add_argument("--hz", default="10,100")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    server = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    folder, user = server.stdout.readline().strip(), "isotherm"
    pgbench = ["pgbench", "-h", folder, "-U", user, "-n"]
    try:
        subprocess.run([*pgbench, "-i", "-q", "postgres"], check=True, stderr=subprocess.DEVNULL)
        most = asked.rounds * len(asked.hz.split(",")) * (asked.seconds + 30)
        load = [*pgbench, "-c", str(asked.clients), "-j", "2", "-T", str(most), "postgres"]
        load = subprocess.Popen(load, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for hz in asked.hz.split(","):
                rounds = [shares(asked, folder, user, hz) for _ in range(asked.rounds)]
                ours, servers = (100 * statistics.median(part) for part in zip(*rounds))
                print(f"{hz} a second: isotherm {ours:.2f} %, the server's process {servers:.2f} % of a core", flush=True)
        finally:
            load.terminate()
            load.wait()
    finally:
        server.stdin.close()
        server.wait()


if __name__ == "__main__":
    main()
