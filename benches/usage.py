"""What a command takes: used by the scripts beside it."""
import json
import subprocess
import sys

# A process counts the pages of the one it was started from, so that a command started here would never have
# a lower peak than this program: a small interpreter starts it instead.
START = """
import json, os, subprocess, sys, time
out = open(sys.argv[1], "wb")
began = time.perf_counter()
process = subprocess.Popen(sys.argv[2:], stdout=out)
_, status, usage = os.wait4(process.pid, 0)
wall = time.perf_counter() - began
print(json.dumps([status, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]), file=sys.stderr)
"""


def usage(command, output):
    """Runs a command, its output into a file. Its status, the wall and processor seconds, the peak memory in MiB
    (that of an interpreter, some 8 MiB, at the least), and what it said."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", START, output, *command], stderr=subprocess.PIPE, check=True)
    *said, last = done.stderr.decode(errors="replace").splitlines()
    return (*json.loads(last), "\n".join(said))
