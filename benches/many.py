#!/usr/bin/env python3
"""Measures what adds up many files and many hosts: `isotherm merge`, Spark with `isotherm frames`, `isotherm fleet`.

    benches/many.py target/release/isotherm merge
    benches/many.py target/release/isotherm spark
    benches/many.py target/release/isotherm fleet

`merge` adds up `--recordings` recordings of ten minutes; `spark` reads a GiB of traces with `spark/heatmaps.py` on two
cores, against `isotherm frames` (Spark is installed by spark/install); `fleet` asks a server of a thousand hosts, which
this program is itself. Ends with 1 if counts differ.
"""
import argparse
import functools
import http.server
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from frames import cells, measured, trace

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = 5


def printed(what, taken):
    """The medians of walls, processors and peaks, as a row."""
    wall, cpu, memory = (statistics.median(column) for column in zip(*taken))
    print(f"| {what} | {wall:.2f} s | {cpu:.2f} s | {memory:.0f} MiB |")


def events_of(isotherm, recording):
    stats = subprocess.run([isotherm, "stats", recording, "--format", "json"], check=True, capture_output=True)
    return json.loads(stats.stdout)["input"]["events"]


def merge(isotherm, args):
    """A hundred recordings of ten minutes with four series, each as often as it takes."""
    with tempfile.TemporaryDirectory() as directory:
        kinds = min(100, args.recordings)
        events = 0
        for kind in range(kinds):
            draw = random.Random(kind)
            text = os.path.join(directory, "events.txt")
            with open(text, "w", encoding="ascii") as file:
                for number in range(6_000):
                    at, latency = 1_795_000_000 + number / 10, draw.lognormvariate(6, 1.5)
                    file.write(f"{at:.3f} {latency:.1f} disk{draw.randrange(4)}\n")
            recording = os.path.join(directory, f"{kind}.heat")
            columns = ["--columns", "time,latency,device", "--unit", "us", "-i", "1s"]
            subprocess.run([isotherm, "import", text, "-o", recording, *columns], check=True)
            copies = len(range(kind, args.recordings, kinds))
            events += 6_000 * copies
            for copy in range(1, copies):
                shutil.copy(recording, os.path.join(directory, f"{kind}-{copy}.heat"))
        os.remove(text)
        size = sum(os.path.getsize(os.path.join(directory, name)) for name in os.listdir(directory))
        taken = []
        with tempfile.TemporaryDirectory() as out:
            for run in range(RUNS):
                merged = os.path.join(out, f"{run}.heat")
                taken.append(measured([isotherm, "merge", directory, "-o", merged], os.devnull))
                if events_of(isotherm, merged) != events:
                    sys.exit(f"the sum has {events_of(isotherm, merged)} events of {events}")
        printed(f"`merge` of {args.recordings:,} recordings, {size / 2**20:.0f} MiB, {events:,} events", taken)


def spark(isotherm, args):
    """Sixteen traces of 64 MiB, two tasks."""
    python = os.path.join(HERE, "../target/clients/spark/bin/python")
    with tempfile.TemporaryDirectory() as directory:
        files = [os.path.join(directory, f"{number}.trc") for number in range(16)]
        for number, file in enumerate(files):
            trace(file, args.mib // 16, number)
        alone = os.path.join(directory, "alone.csv")
        taken = [measured([isotherm, "frames", "-j", "2", *files], alone) for _ in range(RUNS)]
        printed(f"`isotherm frames -j 2` of 16 files, {args.mib} MiB", taken)
        walls = []
        for run in range(RUNS):
            out = os.path.join(directory, f"rows{run}")
            script = os.path.join(HERE, "../spark/heatmaps.py")
            command = [python, script, "--master", "local[2]", "--tasks", "2", "--isotherm", isotherm, "-o", out, *files]
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            walls.append(time.perf_counter() - began)
        # Java leaves its workers to end by themselves, so that their processor time is added up nowhere.
        print(f"| the same with Spark, `local[2]`, two tasks | {statistics.median(walls):.2f} s | - | - |")
        rows = os.path.join(directory, "rows.csv")
        merged = [os.path.join(directory, name) for name in ("spark.heat", "alone.heat")]
        for source, recording in zip((out, alone), merged):
            subprocess.run([isotherm, "merge", source, "-o", recording], check=True)
        tables = []
        for recording in merged:
            with open(rows, "wb") as file:
                subprocess.run([isotherm, "frames", recording], check=True, stdout=file)
            tables.append(cells(rows))
        if tables[0] != tables[1]:
            sys.exit("the rows of Spark differ")


class Fleet(http.server.BaseHTTPRequestHandler):
    """A thousand hosts with a histogram of 34 buckets; eleven of them have 15 slow events of 100."""

    protocol_version = "HTTP/1.1"
    HOSTS, BOUNDS, NOW = 1_000, 34, 1_795_000_000
    SLOW = {3 + 94 * number for number in range(11)}
    bytes = requests = 0

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def host(number):
        draw = random.Random(number)
        slow = 0.15 if number in Fleet.SLOW else draw.uniform(0.004, 0.02)
        events = draw.uniform(40_000, 80_000)
        counts = [0.0] * (Fleet.BOUNDS + 1)
        for bucket, share in ((8, 0.3 * (1 - slow)), (9, 0.7 * (1 - slow)), (13, slow)):
            counts[bucket] = round(events * share)
        seconds = sum(count * 0.75 * 2**bucket * 1e-6 for bucket, count in enumerate(counts))
        return [sum(counts[: bound + 1]) for bound in range(Fleet.BOUNDS + 1)], seconds

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def answer(query, start, end, step):
        """What Prometheus would say, or nearly: each host's events are spread evenly over the time."""
        if query == "time()":
            return json.dumps({"status": "success", "data": {"resultType": "scalar", "result": [Fleet.NOW, str(Fleet.NOW)]}})
        if query.startswith("max(count_over_time("):
            one = [{"metric": {}, "value": [Fleet.NOW, "40"]}]
            return json.dumps({"status": "success", "data": {"resultType": "vector", "result": one}})
        times = [start + place * step for place in range(round((end - start) / step) + 1)]
        row = lambda labels, value: {"metric": labels, "values": [[time, str(value)] for time in times]}
        name = lambda number: f"web-{number:04}:9100"
        if query.startswith("histogram_quantile("):
            rows = [row({"host": name(one)}, 0.008 if one in Fleet.SLOW else 0.0005) for one in range(Fleet.HOSTS)]
        else:
            escaped = lambda number: name(number).replace("-", "\\\\-").replace(":", "\\\\:")
            chosen = [one for one in range(Fleet.HOSTS) if "host=~" not in query or escaped(one) in query]
            by_host = "sum by (le,vmrange,host)" in query
            rows = []
            for group in [[one] for one in chosen] if by_host else [chosen]:
                labels = {"host": name(group[0])} if by_host else {}
                for bound in range(Fleet.BOUNDS + 1):
                    reached = sum(Fleet.host(one)[0][bound] for one in group)
                    le = "+Inf" if bound == Fleet.BOUNDS else repr(2.0**bound * 1e-6)
                    rows.append(row({**labels, "le": le}, reached / len(times)))
                rows.append(row(labels, sum(Fleet.host(one)[1] for one in group) / len(times)))
        return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": rows}})

    def do_GET(self):
        asked = {key: values[0] for key, values in urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).items()}
        numbers = (float(asked.get(key, 0)) for key in ("start", "end", "step"))
        body = Fleet.answer(asked["query"], *numbers).encode()
        Fleet.requests, Fleet.bytes = Fleet.requests + 1, Fleet.bytes + len(body)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def fleet(isotherm, _):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fleet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"prom+http://127.0.0.1:{server.server_address[1]}"
    with tempfile.TemporaryDirectory() as directory:
        page = os.path.join(directory, "fleet.html")
        asked = [isotherm, "fleet", address, "--metric", "a_seconds", "--by", "host"]
        # The first run is that of the server, which keeps its answers.
        found = json.loads(subprocess.run([*asked, "--json"], check=True, capture_output=True).stdout)
        first = {host["host"] for host in found["hosts"][: len(Fleet.SLOW)]}
        if first != {f"web-{number:04}:9100" for number in Fleet.SLOW}:
            sys.exit("the planted hosts are not the first")
        Fleet.requests = Fleet.bytes = 0
        taken = [measured([*asked, "-o", page, "--force"], os.devnull) for _ in range(RUNS)]
        requests, size = Fleet.requests / RUNS, Fleet.bytes / RUNS / 1e6
        page_kb = os.path.getsize(page) / 1e3
        printed(f"`fleet` of 1,000 hosts: {requests:.0f} requests, {size:.1f} MB read, a page of {page_kb:.0f} KB", taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("isotherm")
    parser.add_argument("what", choices=["merge", "spark", "fleet"])
    parser.add_argument("--recordings", type=int, default=10_000, help="how many recordings (default 10000)")
    parser.add_argument("--mib", type=int, default=1024, help="how much Spark reads (default 1024)")
    args = parser.parse_args()
    print("| what | wall | processor | peak memory |\n|---|---|---|---|")
    {"merge": merge, "spark": spark, "fleet": fleet}[args.what](os.path.abspath(args.isotherm), args)


if __name__ == "__main__":
    main()
