#!/usr/bin/env python3
"""Measures isotherm side by side with what its users would run instead.

    cargo build --profile dist && benches/measure.py target/dist/isotherm

Prints one Markdown table row for each figure: wall time, processor time, peak memory. Medians of
three runs. Nothing here is a test: figures depend on the machine and are kept in README.md with
the machine they were measured on.
"""
import os
import pty
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LINES = 10_000_000


def run(command, stdout=subprocess.DEVNULL):
    """Wall seconds, processor seconds and peak MiB of one run."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, shell=isinstance(command, str))
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    if status:
        sys.exit(f"{command} failed: {error.decode()}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def row(what, command, times=3):
    runs = [run(command) for _ in range(times)]
    wall, cpu, memory = (statistics.median(column) for column in zip(*runs))
    shown = command if isinstance(command, str) else " ".join(os.path.basename(w) for w in command)
    print(f"| {what} | {wall:.3f} s | {cpu:.3f} s | {memory:.1f} MiB | `{shown}` |", flush=True)


def events(path):
    """Ten million lines of time and latency: two modes and a tail, over 1,000 s."""
    # A linear congruential generator: the same file everywhere.
    state = 42
    with open(path, "w") as out:
        lines = []
        for number in range(LINES):
            state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
            draw = state >> 40
            latency = 180 + draw % 90 if draw % 10 < 7 else 6_000 + draw % 3_000
            if draw % 997 == 0:
                latency *= 20
            lines.append(f"{1_700_000_000 + number / 10_000:.4f} {latency}\n")
            if len(lines) == 100_000:
                out.write("".join(lines))
                lines = []


# Every second a histogram of 18 buckets whose counts change: what a poll of a server looks like.
POLLED = """cmd:python3 -u -c '
import random, time
while True:
    print(time.strftime("%H:%M:%S"))
    print("     usecs               : count     distribution")
    for n in range(18):
        lo, hi = (1 << n if n else 0), (2 << n) - 1
        print("%10d -> %-10d : %-8d |**|" % (lo, hi, (20000 >> abs(n - 8)) * random.random()))
    print()
    time.sleep(1)
'"""


def live(binary, what, source, seconds=20):
    """Processor share, bytes a second to the terminal and resident memory of the live view."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
        os.execv(binary, [binary, "live", source, "--size", "8M", "--theme", "dark"])
    import fcntl, struct, termios, select
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    begin, sent, first = time.monotonic(), 0, None
    ticks = os.sysconf("SC_CLK_TCK")
    # A full window is what costs: let half a minute scroll in before measuring.
    warm = begin + 30
    cpu_at_warm = 0.0
    while time.monotonic() < warm + seconds:
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if ready:
            data = os.read(terminal, 65536)
            first = first or time.monotonic() - begin
            if time.monotonic() >= warm:
                sent += len(data)
        if time.monotonic() >= warm and not cpu_at_warm:
            cpu_at_warm = processor(pid) / ticks
    used = processor(pid) / ticks - cpu_at_warm
    memory = [l for l in open(f"/proc/{pid}/status") if l.startswith("VmRSS")][0].split()[1]
    os.write(terminal, b"q")
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass  # the terminal is gone with the program
    os.waitpid(pid, 0)
    print(f"| live {what}, 100x40, 1 s | {100 * used / seconds:.2f} % of a core | {sent / seconds / 1000:.1f} KB/s | {int(memory) / 1024:.1f} MiB | first bytes after {1000 * first:.0f} ms |")


def processor(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    binary = os.path.abspath(sys.argv[1])
    print(f"binary: {os.path.getsize(binary) / 1e6:.1f} MB\n")
    print("| what | wall | processor | peak memory | command |\n|---|---|---|---|---|")
    row("start-up", [binary, "--version"], times=20)
    with tempfile.TemporaryDirectory() as room:
        os.chdir(room)
        # In another process: the memory of this one would count as the memory of its children.
        if os.fork() == 0:
            events("events.txt")
            os._exit(0)
        os.wait()
        run("cat events.txt")
        row("wc -l, 10 million lines", "wc -l events.txt")
        awk = "mawk" if shutil.which("mawk") else "awk"
        row("a sum in awk", f"{awk} '{{ s += $2 }} END {{ print s }}' events.txt", times=1)
        columns = "--columns time,latency --unit us"
        row("10 million lines to a picture", f"{binary} show events.txt --width 100 --height 40 {columns}")
        row("10 million lines to statistics", f"{binary} stats events.txt {columns}")
        row("10 million lines to a page", f"{binary} report events.txt -o x.html --force {columns}")
        print("\n| what | processor | to the terminal | resident | start |\n|---|---|---|---|---|")
        live(binary, "polled histogram", POLLED)
        live(binary, "probe (64 reads a second included)", "probe:.")


main()
