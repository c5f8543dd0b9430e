#!/usr/bin/env python3
"""Measures `isotherm stress` side by side with fio on the same file.

    cargo build --profile dist && benches/load.py target/dist/isotherm FILE

In each round every variant runs once at every depth, in random order; ratios are taken within a
round, so that whatever else the machine does meets both. Printed are medians of those ratios with
95 % bootstrap intervals, as Markdown. The file is made by isotherm where there is none; it is only
read. Buffers of isotherm lie in huge pages; fio's do so only in `fio huge pages`, which is left out
where none are reserved (sysctl vm.nr_hugepages).

CPU for an operation is what all threads of the process used in the middle of the run, as the
scheduler counts it: fio's own sums leave out the part of a millisecond of each thread, 15 % of the
whole at 128 threads for 2 s. Latencies count from the moment an operation is begun (fio: `lat`).
The background is what the machine did besides, in processors.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time

from side_by_side import interval

# Seconds before measuring begins, and how much is left out at both ends when CPU is measured.
WARM_UP, MARGIN = 0.5, 0.4

OURS = {
    "ours uring": ["uring"],
    "ours uring, small pages": ["uring", "--small-pages"],
    "ours sync": ["sync"],
}
FIO = {
    "fio registered": ["--ioengine=io_uring", "--registerfiles=1", "--fixedbufs=1"],
    "fio huge pages": ["--ioengine=io_uring", "--registerfiles=1", "--fixedbufs=1", "--iomem=mmaphuge"],
    "fio default": ["--ioengine=io_uring"],
    "fio psync": ["--ioengine=psync"],
}
COMPARED = [
    ("ours uring", "fio registered"),
    ("ours uring, small pages", "fio registered"),
    ("ours uring", "fio huge pages"),
    ("ours uring", "fio default"),
    ("ours sync", "fio psync"),
]


def machine_busy():
    """Seconds of CPU used by anything since the machine started."""
    with open("/proc/stat") as stat:
        fields = [int(word) for word in stat.readline().split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, _steal = fields
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def threads_busy(process):
    """Seconds of CPU used by each thread of a process, to the nanosecond."""
    busy = {}
    for task in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{task}/schedstat") as stat:
                busy[task] = int(stat.read().split()[0]) / 1e9
        except FileNotFoundError:
            pass
    return busy


def run(command, seconds):
    """The output of a command, read as JSON; the processors it used while it was under way, and
    those that others used. It is under way for so many seconds after WARM_UP."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    time.sleep(WARM_UP + MARGIN)
    begin, before, busy = time.monotonic(), threads_busy(process.pid), machine_busy()
    time.sleep(seconds - 2 * MARGIN)
    after, others, wall = threads_busy(process.pid), machine_busy() - busy, time.monotonic() - begin
    output = process.stdout.read()
    if process.wait():
        sys.exit(f"{' '.join(command)} failed")
    if not before.keys() <= after.keys():
        sys.exit(f"{' '.join(command)} ended early: give it more --seconds")
    used = sum(after.values()) - sum(before.values())
    return json.loads(output[output.index(b"{"):]), used / wall, max(others - used, 0) / wall


def bucket_middle(index, bits=7):
    """The middle of a log-linear bucket in nanoseconds; exact up to 2^bits."""
    per_octave = 1 << bits
    if index < per_octave:
        return float(index)
    octave, place = divmod(index - per_octave, per_octave)
    width = 1 << octave
    return (per_octave + place) * width + (width - 1) / 2


def quantile(buckets, share):
    wanted = share * sum(count for _, count in buckets)
    seen = 0
    for index, count in buckets:
        seen += count
        if seen >= wanted:
            return bucket_middle(index)
    return 0.0


def ours(args, method, depth):
    command = [args.isotherm, "stress", f"file:{args.file}", "--in-flight", str(depth), "--for",
               f"{args.seconds}s", "--warmup", f"{WARM_UP}s", "--block", str(args.block),
               "--format", "json", "--method", *method]
    printed, used, others = run(command, args.seconds)
    outcome = printed["run"]["outcome"]
    response = outcome["kinds"][0]["response"]
    if outcome["faults"]:
        sys.exit(f"operations failed: {outcome['faults']}")
    little = outcome["little"]
    iops = response["events"] / outcome["measured_s"]
    return {
        "iops": iops,
        "cpu": used / iops * 1e6,
        "p50": quantile(response["buckets"], 0.5) / 1e3,
        "p99": quantile(response["buckets"], 0.99) / 1e3,
        "little": little["computed"] / little["in_flight"] - 1,
        "others": others,
    }


def fio(args, options, depth):
    sync = "--ioengine=psync" in options
    many = [f"--numjobs={depth}", "--group_reporting"] if sync else [f"--iodepth={depth}"]
    printed, used, others = run([
        "fio", "--name=side-by-side", f"--filename={args.file}", "--rw=randread", f"--bs={args.block}",
        "--direct=1", "--readonly", "--time_based", f"--runtime={args.seconds}", f"--ramp_time={WARM_UP * 1e3:.0f}ms",
        "--norandommap", "--randrepeat=0", "--lat_percentiles=1", "--clat_percentiles=0",
        "--percentile_list=50:99", "--thread", "--output-format=json", *many, *options], args.seconds)
    read = printed["jobs"][0]["read"]
    latency = read["lat_ns"]
    return {
        "iops": read["iops"],
        "cpu": used / read["iops"] * 1e6,
        "p50": latency["percentile"]["50.000000"] / 1e3,
        "p99": latency["percentile"]["99.000000"] / 1e3,
        "little": read["iops"] * latency["mean"] / 1e9 / depth - 1,
        "others": others,
    }


def rows(rounds, depth):
    for one, two in COMPARED:
        pairs = [(results[one], results[two]) for results in rounds[depth] if one in results and two in results]
        if not pairs:
            continue
        ratio = lambda key: interval([a[key] / b[key] for a, b in pairs])
        median = lambda key, side: statistics.median(pair[side][key] for pair in pairs)
        print(f"| {depth} | {one} / {two} | {median('iops', 0) / 1e3:.1f} / {median('iops', 1) / 1e3:.1f} "
              f"| {ratio('iops')} | {median('cpu', 0):.1f} / {median('cpu', 1):.1f} | {ratio('cpu')} "
              f"| {median('p50', 0):.0f} / {median('p50', 1):.0f} | {median('p99', 0):.0f} / {median('p99', 1):.0f} "
              f"| {median('little', 0):+.1%} / {median('little', 1):+.1%} "
              f"| {median('others', 0):.1f} / {median('others', 1):.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("isotherm")
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--block", type=int, default=8192)
    parser.add_argument("--depths", default="1,2,4,8,16,32,64,128")
    parser.add_argument("--only", default="", help="variants, separated by commas; all if not given")
    args = parser.parse_args()
    depths = [int(depth) for depth in args.depths.split(",")]
    with open("/proc/sys/vm/nr_hugepages") as reserved:
        if int(reserved.read()) * 2 < args.block * max(depths) >> 20:
            FIO.pop("fio huge pages")
    variants = [name for name in [*OURS, *FIO] if not args.only or name in args.only.split(",")]
    rounds = {depth: [] for depth in depths}
    for number in range(args.rounds):
        for depth in random.sample(depths, len(depths)):
            results = {}
            for name in random.sample(variants, len(variants)):
                print(f"\rround {number + 1} of {args.rounds}, depth {depth}, {name}      ", end="", file=sys.stderr)
                results[name] = ours(args, OURS[name], depth) if name in OURS else fio(args, FIO[name], depth)
            rounds[depth].append(results)
    print(file=sys.stderr)
    print("| in flight | compared | kIOPS | ratio | CPU us/op | ratio | p50 us | p99 us | Little gap | background |")
    print("|--|--|--|--|--|--|--|--|--|--|")
    for depth in depths:
        rows(rounds, depth)


main()
