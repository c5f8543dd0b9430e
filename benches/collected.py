#!/usr/bin/env python3
"""Peak memory of what collects something that grows with its input: each has a bound, and says what it left out.

    benches/collected.py target/release/isotherm [--only flame,otlp] [--scale 1.0]

Each input is made to be larger than its bound. Prints one Markdown table row for each case: the peak of resident
memory as the kernel counts it, the exit code, and the message that says what did not fit. Ends with 1 if a command
takes more than `--memory` (256 MiB) and a quarter, or dies. Figures are kept in README.md; `--scale` makes inputs
smaller or larger.
"""
import argparse
import gzip
import http.server
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

MOST_MIB = 256 * 1.25
HOUR = 3_600
START = 1_790_000_000


class Bench:
    def __init__(self, binary, room, scale):
        self.binary, self.room, self.scale, self.failed = binary, room, scale, False

    def path(self, name):
        return os.path.join(self.room, name)

    def many(self, number):
        return max(1, round(number * self.scale))

    def write(self, name, lines):
        """Writes lines to a file, in another process: the memory of this one would count as that of its children."""
        path = self.path(name)
        if not os.path.exists(path):
            child = os.fork()
            if child == 0:
                with (gzip.open(path, "wt", 1) if name.endswith(".gz") else open(path, "w")) as out:
                    out.writelines(lines)
                os._exit(0)
            os.waitpid(child, 0)
        return path

    def run(self, what, *command, fed=None):
        """Runs a command to its end, or feeds it and asks it to end then."""
        said, peak = self.path("said"), 0
        for name in command:
            if name.endswith(".heat") and os.path.exists(name):
                os.remove(name)
        with open(said, "wb") as errors:
            process = subprocess.Popen([self.binary, *command], stdout=subprocess.DEVNULL, stderr=errors)
        feeding = threading.Thread(target=fed) if fed else None
        if feeding:
            feeding.start()
        # What the kernel says at the end is that of this program, too, which was there before the command.
        while process.poll() is None:
            peak = max(peak, high_water(process.pid))
            if feeding and not feeding.is_alive():
                feeding = process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        self.row(what, process.returncode, peak / 1024, open(said, errors="replace").read())

    def row(self, what, code, mib, said):
        words = ("do not fit", "does not fit", "left out", "(other)", "more series", "joined", "too large", "503", "rejected")
        lines = said.splitlines()
        told = next((line for line in lines if any(word in line for word in words)), lines[-1] if lines else "")
        if mib > MOST_MIB or code < 0 or code == 101:
            self.failed = True
        print(f"| {what} | {mib:.0f} MiB | {code} | {told.strip()[:160]} |", flush=True)


def high_water(process):
    """The most that a process has had in memory so far, in KiB; 0 where it has ended."""
    try:
        with open(f"/proc/{process}/status") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def flame(bench):
    def stacks(number, seed):
        draw = random.Random(seed)
        for one in range(number):
            yield ";".join(f"f{draw.randrange(4_000)}" for _ in range(4)) + f";leaf{one} {1 + one % 7}\n"
    one = bench.write("a.folded", stacks(bench.many(1_000_000), 1))
    other = bench.write("b.folded", stacks(bench.many(1_000_000), 2))
    for kind in ("json", "folded", "html", "svg"):
        out = bench.path("flame." + kind)
        bench.run(f"`flame` of 1 million different stacks, to {kind}", "flame", one, "-o", out, "--force")
    out = bench.path("flame.json")
    bench.run("`flame diff` of two such, to JSON", "flame", "diff", one, other, "-o", out, "--force")
    bench.run("the same to a page", "flame", "diff", one, other, "-o", bench.path("flame.html"), "--force")


def awr(bench):
    head = "end,seconds,dbid,instance,snap_id,event,wait_class,waits,time_us,foreground_waits,foreground_time_us\n"

    def rows(number, members):
        yield head
        for row in range(number):
            snap, member = divmod(row, members)
            end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + HOUR * snap))
            yield f"{end},3600.000,5,1,{snap},\"event {member}\",\"User I/O\",9,{1_000 + row},9,{1_000 + row}\n"
    out = ["-o", bench.path("awr.html"), "--force"]
    zeros = bench.path("zeros.csv.gz")
    if not os.path.exists(zeros):
        with gzip.open(zeros, "wb", 1) as file:
            for _ in range(bench.many(2_048)):
                file.write(bytes(1 << 20))
    bench.run("`awr report` of 2 GiB of zeros in a .gz", "awr", "report", zeros, *out)
    bench.run("`awr report` of `/dev/zero`", "awr", "report", "/dev/zero", *out)
    long = bench.write("long.csv.gz", rows(bench.many(4_000_000), 1_000))
    bench.run("`awr report` of 4 million rows of one table", "awr", "report", long, *out)
    wide = bench.write("wide.csv", rows(bench.many(1_000_000), bench.many(500_000)))
    bench.run("`awr report` of one table with 500,000 events", "awr", "report", wide, *out)


def timeline(bench):
    def calls(number):
        yield "*** 2026-11-21T08:00:00.000000+00:00\n"
        for one in range(number):
            tim = 7_773_284_556_264 + one * 50
            yield f"WAIT #1: nam='db file sequential read' ela= 40 file#=7 block#={one} blocks=1 obj#=80 tim={tim}\n"
    trace = bench.write("steps.trc", calls(bench.many(4_000_000)))
    bench.run("`trace --timeline ..` of 4 million steps", "trace", "--timeline", "..", trace)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def connected(port):
    for _ in range(400):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.05)
    sys.exit("isotherm does not listen")


def posted(client, body):
    head = f"POST /v1/metrics HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    client.sendall(head.encode() + body)
    return client.recv(4_096)


def points(first, number, at):
    """One metric with so many series of running totals, ten bounds each."""
    one = lambda series: {
        "attributes": [{"key": "who", "value": {"stringValue": f"s{series}"}}],
        "startTimeUnixNano": str(START * 10**9), "timeUnixNano": str(at * 10**9), "count": "10", "sum": 1.0,
        "bucketCounts": ["1"] * 10 + ["0"], "explicitBounds": [0.001 * 2**bound for bound in range(10)],
    }
    data = {"aggregationTemporality": 2, "dataPoints": [one(first + series) for series in range(number)]}
    metric = {"name": "wait", "unit": "s", "histogram": data}
    return json.dumps({"resourceMetrics": [{"scopeMetrics": [{"metrics": [metric]}]}]}).encode()


def otlp(bench):
    port = free_port()

    def held():
        clients = [connected(port) for _ in range(64)]
        part, chunk = bench.many(16 << 20), bytes(1 << 16)
        for client in clients:
            head = f"POST /v1/metrics HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {part}\r\n\r\n"
            client.sendall(head.encode())
            client.settimeout(0.5)
            try:
                for _ in range((part - 1) // len(chunk)):
                    client.sendall(chunk)
            except OSError:
                pass  # Who finds no room is answered, and left.
        time.sleep(2)
    record = lambda: ["record", f"otlp:127.0.0.1:{port}", "-o", bench.path(f"otlp{port}.heat")]
    bench.run("`record otlp:` with 64 connections that hold 16 MiB each", *record(), fed=held)
    port = free_port()

    def series():
        each = 10_000
        for batch in range(bench.many(160)):
            with connected(port) as client:
                posted(client, points(batch * each, each, START + 60))
    bench.run("`record otlp:` with 1.6 million series of running totals", *record(), fed=series)


class Growing(http.server.BaseHTTPRequestHandler):
    """A page with 20,000 series more each time."""
    pages, most = 0, 40

    def do_GET(self):
        Growing.pages = min(Growing.pages + 1, Growing.most)
        bounds = ["0.001", "0.01", "0.1", "1", "+Inf"]
        page = "".join(
            f'wait_seconds_bucket{{who="s{series}",le="{bound}"}} {Growing.pages}\n'
            for series in range(20_000 * Growing.pages) for bound in bounds
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        try:
            self.wfile.write(page)
        except OSError:
            pass  # It is longer than isotherm reads.

    def log_message(self, *_):
        pass


def scrape(bench):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Growing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"prom+http://127.0.0.1:{server.server_address[1]}/metrics"
    out = ["-o", bench.path("scrape.heat"), "--for", f"{bench.many(60)}s"]
    bench.run("`record` of a scrape with 20,000 more series each second", "record", address, *out)
    server.shutdown()


def imported(bench):
    def rows(number, series):
        yield "start_ns,end_ns,series,attributes,quality,sum_ns,lo_ns,hi_ns,count,waited_ns\n"
        for row in range(number):
            second, one = divmod(row, series)
            start = (START + second) * 10**9
            yield f"{start},{start + 10**9},wait,who=s{one},complete,,1000,2000,{1 + row % 5},\n"

    def shuffled(table):
        head, *lines = table
        random.Random(3).shuffle(lines)
        yield head
        yield from lines

    def text(number, series):
        for row in range(number):
            yield f"{START + row // 1_000}.5,{100 + row % 900},s{row % series}\n"

    def points_of(number):
        for row in range(number):
            yield json.dumps({"ts": START + row / 100, "ms": 1 + row % 50, "who": f"s{row}"}) + "\n"
    number = 0
    for what, name, lines, args in (
        ("a table of rows, 1 million series", "rows.csv", rows(bench.many(2_000_000), bench.many(1_000_000)), []),
        ("the same with ten series, in no order", "shuffled.csv", shuffled(rows(bench.many(2_000_000), 10)), []),
        ("a text, 1 million names", "names.csv", text(bench.many(3_000_000), bench.many(1_000_000)),
         ["--columns", "time,latency,who", "--unit", "us"]),
        ("JSON lines, a name each", "lines.jsonl", points_of(bench.many(1_000_000)),
         ["--columns", "time=ts,latency=ms,who", "--unit", "ms"]),
    ):
        path = bench.write(name, lines)
        number += 1
        made = bench.path(f"import{number}.heat")
        bench.run(f"`import` of {what}", "import", path, "-o", made, *args)


def main():
    cases = {"flame": flame, "awr": awr, "timeline": timeline, "otlp": otlp, "scrape": scrape, "import": imported}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("isotherm")
    parser.add_argument("--room", help="a directory in which the files are kept")
    parser.add_argument("--only", help="only these cases: " + ", ".join(cases))
    parser.add_argument("--scale", type=float, default=1.0)
    args = parser.parse_args()
    print("| what | peak memory | exit code | what it says |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as room:
        bench = Bench(os.path.abspath(args.isotherm), args.room or room, args.scale)
        for name, case in cases.items():
            if not args.only or name in args.only.split(","):
                case(bench)
    sys.exit(1 if bench.failed else 0)


main()
