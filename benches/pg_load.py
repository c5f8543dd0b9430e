#!/usr/bin/env python3
"""Measures `isotherm stress postgres://...` side by side with pgbench on the same server.

    cargo build --profile dist && benches/pg_load.py target/dist/isotherm

Starts a PostgreSQL of its own on a unix socket, all of whose tables fit into its shared buffers,
or loads the one given with --address user@/database?host=FOLDER, whose tables it makes (schema
isotherm_1 and pgbench's own tables) and takes away again.

In each round every variant runs once with every number of clients, in random order; ratios are
taken within a round, so that whatever else the machine does meets both. Printed are medians of
those ratios with 95 % bootstrap intervals, as Markdown.

`pgbench -S` is its built-in read of one row of pgbench_accounts; `pgbench rows` reads the very
rows isotherm reads, by the very statement. Both use prepared statements (-M prepared). `bare`, with
--bare, is a loop that only sends and receives (crates/load/examples/bare_postgres.rs): what is left
when a client does nothing of its own. CPU is user and system time of the whole client process, from
its start to its end, divided by the transactions it counted. For isotherm that includes drawing,
counting and writing the result.
"""
import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

from side_by_side import client, interval

SERVER = pathlib.Path(__file__).parent.parent / "crates/live/tests/fake/postgres"
OURS, BUILT_IN, SAME_ROWS, BARE = "isotherm", "pgbench -S", "pgbench rows", "bare"


class Server:
    """Where the server is, and how it is loaded."""

    def __init__(self, options, user, database, folder):
        self.options, self.user, self.database, self.folder = options, user, database, folder
        self.address = f"postgres://{user}@/{database}?host={folder}"
        self.pgbench = ["pgbench", "-h", folder, "-U", user, "-n"]
        self.script = tempfile.NamedTemporaryFile("w", suffix=".sql")
        self.script.write(f"\\set id random(0, {options.rows - 1})\n"
                          "select touched from isotherm_1.blocks where id = :id;\n")
        self.script.flush()

    def set_up(self):
        client(self.pgbench + ["-i", "-s", "5", "-q", self.database])
        client([self.options.isotherm, "stress", "setup", self.address, "--scale", str(self.options.rows)])

    def tear_down(self):
        client(self.pgbench + ["-i", "-I", "d", self.database])
        client([self.options.isotherm, "stress", "teardown", self.address])

    def measure(self, variant, clients):
        """Transactions a second, and microseconds of the client's CPU for each."""
        if variant == OURS:
            return self.ours(clients)
        if variant == BARE:
            return self.bare(clients)
        which = ["-S"] if variant == BUILT_IN else ["-f", self.script.name]
        output, cpu = client(self.pgbench + which + [
            "-M", "prepared", "-c", str(clients), "-j", str(min(clients, os.cpu_count())),
            "-T", str(self.options.seconds), self.database])
        number = re.search(r"number of transactions actually processed: (\d+)", output).group(1)
        rate = re.search(r"tps = ([\d.]+) \(without", output).group(1)
        return float(rate), cpu * 1e6 / int(number)

    def bare(self, clients):
        output, cpu = client([
            self.options.bare, self.folder, self.user, self.database, str(self.options.rows),
            str(clients), str(self.options.seconds)])
        return int(output) / self.options.seconds, cpu * 1e6 / int(output)

    def ours(self, clients):
        output, cpu = client([
            self.options.isotherm, "stress", self.address, "--scale", str(self.options.rows),
            "--work-unit", "1", "--in-flight", str(clients), "--for", f"{self.options.seconds}s",
            "--warmup", "0s", "--ui", "none", "--format", "json"])
        outcome = json.loads(output)["run"]["outcome"]
        if any(kind["failed"] for kind in outcome["kinds"]):
            sys.exit(f"operations failed: {outcome['faults']}")
        done = sum(kind["response"]["events"] for kind in outcome["kinds"])
        return done / outcome["measured_s"], cpu * 1e6 / done


def compare(server, options):
    variants = [OURS, BUILT_IN, SAME_ROWS] + ([BARE] if options.bare else [])
    rounds = []
    for number in range(options.rounds):
        cells = [(variant, clients) for variant in variants for clients in options.clients]
        random.shuffle(cells)
        rounds.append({cell: server.measure(*cell) for cell in cells})
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    print("| clients | against | TPS ratio | client CPU ratio | TPS | CPU us | its TPS | its CPU us |")
    print("|--|--|--|--|--|--|--|--|")
    for clients in options.clients:
        for other in variants[1:]:
            pairs = [(cells[OURS, clients], cells[other, clients]) for cells in rounds]
            ratios = [interval([ours[at] / its[at] for ours, its in pairs]) for at in range(2)]
            medians = [statistics.median(pair[which][at] for pair in pairs)
                       for which in range(2) for at in range(2)]
            print(f"| {clients} | {other} | {ratios[0]} | {ratios[1]} "
                  "| {:.0f} | {:.2f} | {:.0f} | {:.2f} |".format(*medians), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("isotherm")
    parser.add_argument("--address", help="user@/database?host=FOLDER instead of an own server")
    parser.add_argument("--bare", help="the example bare_postgres, built with --release")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    options = parser.parse_args()
    child = None
    if options.address:
        user, database, folder = re.fullmatch(r"(.*)@/(.*)\?host=(.*)", options.address).groups()
    else:
        child = subprocess.Popen([SERVER, "-c", "shared_buffers=512MB"], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        user, database, folder = "isotherm", "postgres", child.stdout.readline().strip()
    try:
        server = Server(options, user, database, folder)
        server.set_up()
        compare(server, options)
        server.tear_down()
    finally:
        if child:
            child.stdin.close()
            child.wait()


if __name__ == "__main__":
    main()
