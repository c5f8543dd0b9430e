#!/usr/bin/env python3
"""How fast formats of text are read: made-up files of so many MB each, `isotherm stats --read-threads 1`.

Usage: benches/decoders.py ISOTHERM [--mb 100] [--only NAME] [--keep DIRECTORY]

Prints for each format the events, MB per second of processor time, and the peak memory; the events must
be those that were written."""
import argparse
import json
import os
import random
import sys
import tempfile
import time

from usage import usage

START = 1_763_733_600


def stamp(us):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(START + us // 1_000_000)) + ".%03d" % (us % 1_000_000 // 1000)


def strace(n, us, lat):
    return f"4711  {START + us // 10**6}.{us % 10**6:06} pread64(5, \"\"..., 8192, {n * 8192}) = 8192 <{lat / 1e6:.6f}>\n"


def perf_trace(n, us, lat):
    return f"  {us / 1e3:11.3f} ({lat / 1e3:6.3f} ms): postgres/4711 pread64(fd: 5</data/16384>, buf: 0x7f12, count: 8192, pos: {n * 8192}) = 8192\n"


def blkparse(n, us, lat):
    issue, done = us / 1e6, (us + lat) / 1e6
    sector = n * 16 % 10**9
    return (f"259,0    1 {2 * n + 1:8}  {issue:14.9f}  4711  D   R {sector} + 16 [fio]\n"
            f"259,0    1 {2 * n + 2:8}  {done:14.9f}     0  C   R {sector} + 16 [0]\n")


def perf_script(n, us, lat):
    sector = n * 16 % 10**9
    return (f"fio  4711 [001] {us / 1e6:12.6f}: block:block_rq_issue: 259,0 R 8192 () {sector} + 16 [fio]\n"
            f"swapper     0 [001] {(us + lat) / 1e6:12.6f}: block:block_rq_complete: 259,0 R () {sector} + 16 [0]\n")


def postgres(n, us, lat):
    return f"{stamp(us)} UTC [4711] LOG:  duration: {lat / 1e3:.3f} ms  statement: select * from orders where id = {n}\n"


def mysql(n, us, lat):
    return (f"# Time: {stamp(us).replace(' ', 'T')}000Z\n# User@Host: app[app] @ localhost []  Id:     8\n"
            f"# Query_time: {lat / 1e6:.6f}  Lock_time: 0.000010 Rows_sent: 1  Rows_examined: 100\n"
            f"SET timestamp={START + us // 10**6};\nselect * from orders where id = {n};\n")


def pgbench(n, us, lat):
    return f"{n % 10} {n // 10} {lat} 0 {START + us // 10**6} {us % 10**6}\n"


def fio_log(n, us, lat):
    return f"{us // 1000}, {lat * 1000}, 0, 8192, 0\n"


def text(n, us, lat):
    return f"{stamp(us).replace(' ', 'T')}Z INFO request {n} done, took {lat / 1e3:.3f}ms\n"


def json_lines(n, us, lat):
    return f'{{"ts":"{stamp(us).replace(" ", "T")}Z","path":"/orders/{n}","duration_ms":{lat / 1e3:.3f}}}\n'


def columns(n, us, lat):
    return f"{START + us // 10**6}.{us % 10**6:06},{lat}\n"


def bpftrace(n, us, lat):
    rows = [f"[{1 << k}, {1 << (k + 1)})".ljust(20) + f"{(n * 7_919 + k * 31) % 900 + 1:8} |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@            |\n" for k in range(4, 16)]
    clock = time.strftime("%H:%M:%S", time.gmtime(START + n))
    return f"{clock}\n@usecs: \n{''.join(rows)}\n\n"


def bpftrace_events(n):
    return sum((n * 7_919 + k * 31) % 900 + 1 for k in range(4, 16))


def prometheus(n, us, lat):
    rows, total = [], 0
    for k in range(20):
        total += n * (k + 1) + k
        rows.append(f'http_request_duration_seconds_bucket{{path="/orders",le="{0.001 * 2**k:g}"}} {total} {(START + 15 * n) * 1000}\n')
    rows.append(f'http_request_duration_seconds_bucket{{path="/orders",le="+Inf"}} {total} {(START + 15 * n) * 1000}\n')
    rows.append(f'http_request_duration_seconds_count{{path="/orders"}} {total} {(START + 15 * n) * 1000}\n')
    return "# TYPE http_request_duration_seconds histogram\n" + "".join(rows) + "# EOF\n"


FORMATS = {
    "columns (CSV)": (columns, lambda n: n, ["--columns", "time,latency", "--unit", "us"]),
    "strace": (strace, lambda n: n, []),
    "perf trace": (perf_trace, lambda n: n, []),
    "blkparse": (blkparse, lambda n: n, []),
    "perf script, block": (perf_script, lambda n: n, []),
    "PostgreSQL log": (postgres, lambda n: n, []),
    "MySQL slow log": (mysql, lambda n: n, []),
    "pgbench -l": (pgbench, lambda n: n, []),
    "fio lat log": (fio_log, lambda n: n, []),
    "text, took 12.3ms": (text, lambda n: n, []),
    "JSON lines": (json_lines, lambda n: n, []),
    "bpftrace hist()": (bpftrace, lambda n: sum(bpftrace_events(k) for k in range(n)), []),
    "Prometheus text": (prometheus, lambda n: 210 * (n - 1), []),
}


def write(path, make, megabytes):
    rng = random.Random(42)
    n = size = us = 0
    with open(path, "w") as out:
        while size < megabytes * 1_000_000:
            part = []
            for _ in range(2_000):
                us += rng.randrange(20, 180)
                part.append(make(n, us, rng.randrange(3, 18) if make in (blkparse, perf_script) else rng.randrange(30, 4_000)))
                n += 1
            chunk = "".join(part)
            size += len(chunk)
            out.write(chunk)
    return n, size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("isotherm")
    parser.add_argument("--mb", type=int, default=100)
    parser.add_argument("--only")
    parser.add_argument("--keep")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.keep) as room:
        print("| format | file | events | MB/s of one core | peak memory |\n|---|---|---|---|---|")
        for name, (make, events_of, more) in FORMATS.items():
            if args.only and args.only not in name:
                continue
            path, out = os.path.join(room, "input"), os.path.join(room, "statistics")
            n, size = write(path, make, args.mb)
            expected = events_of(n)
            command = [args.isotherm, "stats", "--format", "json", "--read-threads", "1", *more, path]
            best = None
            for _ in range(3):
                status, _, cpu, peak, said = usage(command, out)
                if status != 0:
                    print(f"| {name} | failed: {said[:200]} |")
                    break
                with open(out, encoding="utf-8") as file:
                    events = json.load(file)["input"]["events"]
                if best is None or cpu < best[0]:
                    best = (cpu, peak)
                if events != expected:
                    sys.exit(f"{name}: {events} events, {expected} were written: {said[:300]}")
            if best:
                print(f"| {name} | {size / 1e6:.0f} MB | {expected:,} | {size / 1e6 / best[0]:.0f} | {best[1]:.0f} MiB |", flush=True)
            os.remove(path)


main()
