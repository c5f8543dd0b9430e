#!/usr/bin/env python3
"""Records a made-up live stream for a long time while everything goes wrong, and checks the file.

    benches/soak.py target/release/isotherm --for 60m

One recording is written by `isotherm record` in one life after the other: recorders are killed,
asked to end, or see the end of their input at random moments, and the next one appends to the same
file. Meanwhile others read it and mark it, the disk fills up, and the clock of the stream steps back
and forward. Every event is sent once, so that at the end:

- what a recorder announced when it ended is in the file, to the event and to the frame;
- what a reader has once seen in the file stays in it, whatever kills the recorder;
- no series, and no second of one, holds more events than were sent in it (where the clock stepped
  back a little, late events count in the second that was open: only the series is looked at);
- with the end of its input every event sent to a recorder is in the file or told as rejected;
- every mark that was accepted is there once;
- whoever was refused said why, in words; nobody panicked or hung;
- the recorder's memory does not grow.

The disk is a tmpfs of its own if this may mount one (root), otherwise RLIMIT_FSIZE stands in for a
full one. Only Python's standard library is used.
"""
import argparse
import collections
import json
import os
import random
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

SERIES = 200
COLUMNS = ["--columns", "time,latency,name", "--unit", "us"]
START = 1_790_000_000
DISK = 512 << 20
HANGS = 120  # seconds after which a program that should have ended is at fault
MIB = 1 << 20


class Account:
    """What happened, from all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.numbers = collections.Counter()
        self.messages = collections.Counter()
        self.faults = []
        self.marks = {True: set(), False: set()}
        self.stepped_back = set()  # seconds at which the clock did: what follows may be counted there
        self.sent = collections.Counter()  # (series, second): events
        self.growth = []  # (seconds, MiB early, MiB at the end) of long lives
        self.ended_after = []
        self.seen = 0

    def count(self, what, number=1):
        with self.lock:
            self.numbers[what] += number

    def most(self, what, number):
        with self.lock:
            self.numbers[what] = max(self.numbers[what], number)

    def fault(self, text):
        with self.lock:
            self.faults.append(text)
        print(f"FAULT {text}", flush=True)

    def message(self, who, text):
        """Messages are told apart without their numbers and names of files."""
        text = re.sub(r"/[^\s:;]+", "FILE", text)
        with self.lock:
            self.messages[who + ": " + re.sub(r"\d[\d.,]*", "N", text)] += 1


class Stream:
    """A second of the stream every second, in ten pieces; each event is made once."""

    def __init__(self, account, chance):
        self.account, self.chance, self.second, self.pieces = account, chance, START, []

    def next(self):
        """The lines of the next tenth of a second."""
        if not self.pieces:
            self.step()
            self.pieces = self.lines()
        return self.pieces.pop(0)

    def step(self):
        self.second += 1
        if self.chance.random() < 1 / 60:
            by = self.chance.choice([-1, 1]) * self.chance.randint(2, 40)
            if by < 0:
                self.account.stepped_back.update(range(self.second - 2, self.second + 1))
            self.second += by
            self.account.count("clock steps back" if by < 0 else "clock steps forward")

    def lines(self):
        pieces = [[] for _ in range(10)]
        for series in range(SERIES):
            rare = series % 10 == 0
            for _ in range(int(self.second % 100 == series % 100) if rare else self.chance.randint(1, 5)):
                tenth = self.chance.randrange(10)
                latency = int(self.chance.lognormvariate(6, 1)) + 1
                name = f"s{series:03}"
                pieces[tenth].append((name, f"{self.second}.{tenth}5,{latency},{name}\n"))
        return pieces

    def sent(self, piece):
        """Every event is accounted for before it is sent: it may arrive from then on."""
        with self.account.lock:
            for name, line in piece:
                self.account.sent[name, int(line.split(".")[0])] += 1


class Life:
    """One recorder, from its start to its end."""

    def __init__(self, soak):
        self.soak, self.account, self.events, self.seen_before = soak, soak.account, 0, soak.account.seen
        append = ["--append"] if os.path.exists(soak.heat) else []
        command = [soak.binary, "record", "-", "-o", soak.heat, *append, *COLUMNS]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=False)
        self.began, self.memory, self.said = time.monotonic(), [], []
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        self.feeder = threading.Thread(target=self.feed, daemon=True)
        self.leave = threading.Event()
        self.feeder.start()

    def listen(self):
        for line in self.process.stderr:
            line = line.decode(errors="replace").strip()
            self.said.append(line)
            self.account.message("record", line)

    def feed(self):
        due = time.monotonic()
        while not self.leave.is_set():
            piece = self.soak.stream.next()
            self.soak.stream.sent(piece)
            self.events += len(piece)
            try:
                self.process.stdin.write("".join(line for _, line in piece).encode())
                self.process.stdin.flush()
            except (BrokenPipeError, ValueError):
                return
            due += 0.1
            time.sleep(max(0, due - time.monotonic()))

    def live(self, seconds):
        """Until its time has come, or it has ended by itself."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.poll() is None:
            time.sleep(min(1, max(0, until - time.monotonic())))
            resident = resident_mib(self.process.pid)
            if resident:
                self.memory.append((time.monotonic() - self.began, resident))
        return self.process.poll() is None

    def end(self, how):
        """Ends the recorder; gives its exit code."""
        asked = time.monotonic()
        if how == "end of input":
            self.leave.set()
            self.feeder.join()
            self.close_input()
        elif self.process.poll() is None:
            self.process.send_signal(getattr(signal, how))
        hung = threading.Timer(HANGS, self.hung, [how])
        hung.start()
        self.process.wait()
        hung.cancel()
        if how in ("SIGTERM", "SIGINT", "SIGHUP"):
            self.account.ended_after.append(time.monotonic() - asked)
        self.leave.set()
        self.close_input()
        self.feeder.join()
        self.listener.join(HANGS)
        return self.process.returncode

    def hung(self, how):
        self.account.fault(f"the recorder hangs after {how}")
        self.process.kill()

    def close_input(self):
        try:
            self.process.stdin.close()
        except (BrokenPipeError, OSError):
            pass


class Soak:
    def __init__(self, binary, room, seed):
        self.binary, self.room, self.chance = binary, room, random.Random(seed)
        self.account = Account()
        self.stream = Stream(self.account, random.Random(seed + 1))
        self.disk = os.path.join(room, "disk")
        os.makedirs(self.disk, exist_ok=True)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", self.disk]
        self.mounted = os.geteuid() == 0 and subprocess.run(mount, stderr=subprocess.DEVNULL).returncode == 0
        self.heat = os.path.join(self.disk, "soak.heat")
        self.over = threading.Event()
        self.full = threading.Event()
        self.life = None

    def run(self, seconds):
        begin = time.monotonic()
        threads = [threading.Thread(target=work) for work in (self.read, self.read, self.mark, self.fill)]
        for thread in threads:
            thread.start()
        while time.monotonic() - begin < seconds:
            self.one_life(begin + seconds - time.monotonic())
        self.over.set()
        for thread in threads:
            thread.join()
        self.check()
        return time.monotonic() - begin

    def length(self):
        draw = self.chance.random()
        bounds = (0.2, 20) if draw < 0.75 else (20, 60) if draw < 0.95 else (120, 300)
        return self.chance.uniform(*bounds)

    def one_life(self, at_most):
        account, before = self.account, self.contents()
        how = self.chance.choices(
            ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "end of input"], [40, 20, 20, 5, 15])[0]
        self.life = life = Life(self)
        if life.live(min(self.length(), max(1, at_most))) and self.chance.random() < 0.2:
            self.second_recorder()
        alive = life.process.poll() is None
        code, full = life.end(how), self.full.is_set()
        account.count(f"lives ended by {how}" if alive else "lives that ended by themselves")
        said = "\n".join(life.said)
        if "panicked" in said:
            account.fault(f"panic: {said}")
        if not alive and not (life.said and life.said[-1].startswith("isotherm: ")):
            account.fault(f"ended by itself with {code} without a reason: {said!r}")
        if not alive and not full:
            account.count("lives that ended by themselves with room on the disk")
        self.judge(life, how if alive else "itself", before, said)
        self.note_memory(life)

    def judge(self, life, how, before, said):
        """What the life has added to the file against what it was sent and what it announced."""
        account, after = self.account, self.contents()
        if before is None or after is None:
            account.count("lives whose file could not be read with the disk full")
            return
        events, frames, rejected = (new - old for new, old in zip(after, before))
        announced = re.search(r"; (\d+) events in (\d+) frames (?:added to|in) ", said)
        if announced:
            account.count("events announced", int(announced[1]))
            account.count("frames announced", int(announced[2]))
            account.count("lives that announced")
            if (events, frames) != (int(announced[1]), int(announced[2])):
                account.fault(f"{how}: announced {announced[0]!r}, found {events} events in {frames} frames")
        elif how not in ("SIGKILL", "itself") and "could not be recorded" not in said:
            account.fault(f"{how}: nothing announced: {said!r}")
        if not 0 <= events <= life.events:
            account.fault(f"{how}: {life.events} events sent, {events} found")
        if after[0] < account.seen:
            account.fault(f"{how}: a reader saw {account.seen} events, {after[0]} are there")
        if how == "end of input" and "NOT RECORDING" not in said and events + rejected != life.events:
            account.fault(f"{life.events} events sent, {events} found, {rejected} rejected: {said!r}")

    def contents(self):
        """Events, frames and events rejected that are in the file, while nobody writes it."""
        if not os.path.exists(self.heat):
            return 0, 0, 0
        stats = subprocess.run([self.binary, "stats", "--format", "json", self.heat], capture_output=True)
        try:
            told = json.loads(stats.stdout)["input"]
        except (ValueError, KeyError):
            text = stats.stderr.decode(errors="replace").strip()
            if not self.full.is_set() and "nothing" not in text:
                self.account.fault(f"stats between two lives: {text!r}")
            return None if self.full.is_set() else (0, 0, 0)
        try:
            return told["events"], self.ask("select count(*) from frame"), told["rejected_events"]
        except sqlite3.OperationalError as error:
            if not self.full.is_set():
                self.account.fault(f"sqlite3 between two lives: {error}")
            return None

    def ask(self, query):
        """Asks the file without isotherm."""
        connection = sqlite3.connect(f"file:{self.heat}?mode=ro", uri=True)
        try:
            return connection.execute(query).fetchone()[0]
        finally:
            connection.close()

    def second_recorder(self):
        command = [self.binary, "record", "-", "-o", self.heat, "--append", *COLUMNS]
        second = subprocess.run(command, input=b"1 1 x\n", capture_output=True, timeout=HANGS)
        said = second.stderr.decode(errors="replace").strip()
        self.account.message("second recorder", said)
        self.account.count("second recorders refused")
        if second.returncode == 0 or "isotherm: " not in said:
            self.account.fault(f"a second recorder was not refused: {said!r}")

    def note_memory(self, life):
        if not life.memory:
            return
        self.account.most("recorder MiB at most", max(mib for _, mib in life.memory))
        early = [mib for age, mib in life.memory if age > 20]
        if life.memory[-1][0] > 60:
            self.account.growth.append((life.memory[-1][0], early[0], life.memory[-1][1]))

    def read(self):
        """Looks at the recording again and again, in every way."""
        ways = [
            ["stats", "--format", "json", self.heat],
            ["stats", "--format", "json", self.heat],
            ["stats", self.heat],
            ["show", self.heat, "--width", "100", "--height", "40"],
            ["replay", self.heat, "--speed", "max", "--ui", "stream"],
            ["export", self.heat, "--format", "csv", "--series", "s001"],
            ["report", self.heat, "-o", os.path.join(self.room, "soak.html"), "--force"],
        ]
        chance = random.Random(id(threading.current_thread()))
        while not self.over.wait(chance.uniform(0.5, 6)):
            way = chance.choice(ways)
            if way[0] == "report":
                way = [*way[:3], os.path.join(self.room, f"{threading.get_ident()}.html"), way[4]]
            if os.path.exists(self.heat):
                self.reader(way)

    def reader(self, way):
        account = self.account
        try:
            read = subprocess.run([self.binary, *way], capture_output=True, timeout=HANGS)
        except subprocess.TimeoutExpired:
            return account.fault(f"{way[0]} hangs")
        said = read.stderr.decode(errors="replace").strip()
        account.count(f"readers: {way[0]}")
        for line in said.splitlines():
            account.message(way[0], line)
        if read.returncode:
            account.count("readers that failed with a message")
            if "panicked" in said or not said.splitlines() or "isotherm: " not in said:
                account.fault(f"{way[0]} ended with {read.returncode}: {said!r}")
        elif "json" in way:
            with account.lock:
                account.seen = max(account.seen, json.loads(read.stdout)["input"]["events"])
        return None

    def mark(self):
        number = 0
        while not self.over.wait(random.uniform(1, 8)):
            if not os.path.exists(self.heat):
                continue
            text, number = f"soak {number}", number + 1
            marked = subprocess.run([self.binary, "mark", self.heat, text], capture_output=True, timeout=HANGS)
            said = marked.stderr.decode(errors="replace").strip()
            self.account.marks[marked.returncode == 0].add(text)
            if marked.returncode:
                self.account.message("mark", said)
                if "isotherm: " not in said or "panicked" in said:
                    self.account.fault(f"mark ended with {marked.returncode}: {said!r}")

    def fill(self):
        """The disk is full for some seconds, every minute or two."""
        ballast = os.path.join(self.disk, "ballast")
        while not self.over.wait(random.uniform(20, 120)):
            self.account.count("times the disk was full")
            self.full.set()
            if self.mounted:
                self.fill_disk(ballast)
            else:
                self.limit(os.path.getsize(self.heat) if os.path.exists(self.heat) else 0)
            self.over.wait(random.uniform(1, 25))
            if self.mounted:
                os.remove(ballast)
            else:
                self.limit(resource.RLIM_INFINITY)
            # Who met it may still be telling so.
            threading.Timer(3, self.full.clear).start()

    def fill_disk(self, ballast):
        with open(ballast, "wb") as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
                    file.flush()
            except OSError:
                pass
            finally:
                try:
                    file.close()
                except OSError:
                    pass

    def limit(self, size):
        try:
            resource.prlimit(self.life.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        except (ProcessLookupError, AttributeError):
            pass

    def check(self):
        """The whole file at the end."""
        account = self.account
        export = subprocess.run([self.binary, "export", self.heat, "--format", "jsonl"], capture_output=True)
        if export.returncode:
            return account.fault(f"export: {export.stderr.decode(errors='replace')}")
        found, marks = collections.Counter(), collections.Counter()
        for line in export.stdout.splitlines():
            line = json.loads(line)
            if "mark_at_ns" in line:
                marks[line["text"]] += 1
            elif "counts" in line:
                account.count("frames in the file")
                self.add(line, found)
        account.count("events sent", sum(account.sent.values()))
        account.count("events in the file", sum(found.values()))
        for cell, events in found.items():
            if events > account.sent[cell] and cell[1] not in account.stepped_back:
                account.fault(f"{cell}: {events} events found, {account.sent[cell]} sent")
        for series in {series for series, _ in account.sent}:
            of_series = [sum(n for (name, _), n in cells.items() if name == series) for cells in (found, account.sent)]
            if of_series[0] > of_series[1]:
                account.fault(f"{series}: {of_series[0]} events found, {of_series[1]} sent")
        account.count("marks accepted", len(account.marks[True]))
        account.count("marks refused", len(account.marks[False]))
        for text in account.marks[True]:
            if marks[text] != 1:
                account.fault(f"the mark {text!r} is there {marks[text]} times")
        for text in account.marks[False]:
            if marks[text]:
                account.fault(f"the mark {text!r} was refused and is there")
        return self.check_file()

    def add(self, line, found):
        events = sum(line["counts"])
        if not events:
            return
        if not 0 < line["end_ns"] - line["start_ns"] <= 1_000_000_000:
            self.account.fault(f"an interval of {line['end_ns'] - line['start_ns']} ns with events")
        found[line["attributes"]["name"], line["start_ns"] // 1_000_000_000] += events

    def check_file(self):
        verdict = self.ask("pragma integrity_check")
        if verdict != "ok":
            self.account.fault(f"integrity_check: {verdict}")
        self.account.count("MiB of the file", os.path.getsize(self.heat) // MIB)
        beside = sorted(name for name in os.listdir(self.disk) if name != "soak.heat")
        if beside:
            self.account.message("left beside the file", " ".join(beside))

    def leave(self):
        if self.mounted:
            subprocess.run(["umount", self.disk])


def resident_mib(pid):
    try:
        for line in open(f"/proc/{pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    except (FileNotFoundError, ProcessLookupError):
        pass
    return None


def seconds(text):
    units = {"s": 1, "m": 60, "h": 3_600}
    return float(text[:-1]) * units[text[-1]]


def tell(account, took):
    print(f"\n{took / 60:.1f} minutes, {len(account.faults)} faults")
    for what, number in sorted(account.numbers.items()):
        print(f"| {what} | {number:,.1f} |" if isinstance(number, float) else f"| {what} | {number:,} |")
    if account.ended_after:
        after = sorted(account.ended_after)
        print(f"| ends after a signal: median, longest | {after[len(after) // 2]:.3f} s, {after[-1]:.3f} s |")
    for age, early, late in account.growth:
        print(f"| memory of a life of {age:.0f} s: after 20 s, at its end | {early:.1f} MiB, {late:.1f} MiB |")
    print("\nmessages:")
    for text, times in account.messages.most_common():
        print(f"  {times} x {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("isotherm")
    parser.add_argument("--for", dest="length", default="60m", type=seconds)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--keep", help="leave the recording in this directory")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as room:
        soak = Soak(os.path.abspath(args.isotherm), room, args.seed)
        try:
            took = soak.run(args.length)
            tell(soak.account, took)
            if args.keep:
                subprocess.run(["cp", soak.heat, args.keep])
        finally:
            soak.over.set()
            soak.leave()
    sys.exit(1 if soak.account.faults else 0)


main()
