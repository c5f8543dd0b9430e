"""What the benchmarks share that run two programs side by side."""
import os
import random
import statistics
import subprocess
import sys


def client(command):
    """The output of a command and the seconds of CPU it used, user and system."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, error = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed: {error}")
    return output, usage.ru_utime + usage.ru_stime


def interval(ratios, draws=4_000):
    """The median of ratios and its 95 % bootstrap interval, as text."""
    medians = sorted(statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(draws))
    low, high = medians[int(draws * 0.025)], medians[int(draws * 0.975) - 1]
    return f"{statistics.median(ratios):.2f} [{low:.2f}, {high:.2f}]"
