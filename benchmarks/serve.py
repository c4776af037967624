"""A load test of ``treewright serve``: many clients at once, each answer compared with the offline parse.

Usage: ``python benchmarks/serve.py [--clients 200] [--seconds 60] [--model en] [--sentences 10] [--confidence]``.  It
starts a service of its own on loopback, in a process of its own, and asks it over connections that are kept open; each
client sends its next request when it has the answer to the last one.  An answer is *lost* if there is none, and *wrong*
if it is not, byte for byte, one that says what the parser says offline.  Words per second are compared with those of
the same texts parsed to JSON in one process without HTTP, on as many threads, in the same run.  The clients share the
cores with the service: what they take is measured, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

import treewright
from treewright.treebank.conllu.plain_data import to_json

ROOT = Path(__file__).parents[1]
DATA = ROOT / "../shared/data/ud/english-ewt/dev.conllu.gz"


class Load:
    """What is asked, what the answers must be, and what came of it."""

    def __init__(self, parser, texts, confidence):
        self.texts, self.seen = texts, [None] * len(texts)  # the bytes of an answer that has been compared
        self.trees = list(parser.pipe(texts, confidence=confidence))
        self.words = [sum(map(len, trees)) for trees in self.trees]
        self.requests = [json.dumps({"text": text, "confidence": confidence}).encode() for text in texts]
        self.counts, self.latencies, self.parsed = Counter(), [], 0

    def check(self, number, body):
        """Compare an answer with the offline parse."""
        if self.seen[number] is None:
            sentences = json.loads(body)["sentences"]
            expected = [to_json(tree) | {"certificate": True} for tree in self.trees[number]]
            if sentences == expected:
                self.seen[number] = body
        return body == self.seen[number]

    async def client(self, port, first, end):
        """Ask one thing after the other until the end."""
        number, reader, writer = first, None, None
        while time.monotonic() < end:
            number = (number + 1) % len(self.texts)
            start = time.monotonic()
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                status, headers, body = await ask(reader, writer, self.requests[number])
            except (OSError, EOFError, ValueError) as error:
                self.counts[f"lost ({type(error).__name__})"] += 1
                writer = None
                continue
            if b"connection: close" in headers:
                writer.close()
                writer = None
            if status == 429:
                self.counts["429"] += 1
                await asyncio.sleep(int(re.search(rb"retry-after: (\d+)", headers)[1]))
            elif status != 200:
                self.counts[f"wrong ({status})"] += 1
            else:
                self.counts["right" if self.check(number, body) else "wrong"] += 1
                self.latencies.append(time.monotonic() - start)
                self.parsed += self.words[number]
        if writer is not None:
            writer.close()


async def ask(reader, writer, body):
    """Send a request on an open connection, and read the answer."""
    head = f"POST /api/parse HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    headers = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(re.search(rb"content-length: (\d+)", headers)[1])
    return int(headers.split(b" ", 2)[1]), headers, await reader.readexactly(length)


async def load(run, port, clients, seconds):
    """Let many clients ask at once."""
    end = time.monotonic() + seconds
    await asyncio.gather(*(run.client(port, 7 * number, end) for number in range(clients)))


def offline(parser, texts, confidence, words, seconds):
    """Parse the same texts to JSON without a service, again and again; return words per second, and per CPU second."""
    start, used, done = time.monotonic(), time.process_time(), 0
    while time.monotonic() - start < seconds:
        for trees in parser.pipe(texts, confidence=confidence):
            json.dumps([to_json(tree) for tree in trees], ensure_ascii=False).encode()
        done += words
    return done / (time.monotonic() - start), done / (time.process_time() - used)


def start_service(model):
    """Start a service at a free port, and wait until it is ready."""
    command = [sys.executable, "-c", "import treewright.cli; treewright.cli.main()"]
    command += ["serve", "--model", model, "--port", "0", "--queue", "1024"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    for line in process.stderr:
        print(line, end="")
        if found := re.search(r"http://[\d.]+:(\d+)/", line):
            return process, int(found[1])
    raise SystemExit("the service did not start")


def texts_of(path, count):
    """Return texts of so many sentences each."""
    sentences = [one.text for one in treewright.read(path) if one.text]
    return ["\n\n".join(sentences[i : i + count]) for i in range(0, len(sentences) - count + 1, count)]


def cpu_of(process):
    """Return the CPU seconds that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--clients", type=int, default=200)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--model", default="en")
    options.add_argument("--sentences", type=int, default=10, help="in a request")
    options.add_argument("--confidence", action="store_true")
    options.add_argument("--data", type=Path, default=DATA if DATA.exists() else ROOT / "tests/data/ewt.conllu")
    given = options.parse_args()

    parser, texts = treewright.load(given.model), texts_of(given.data, given.sentences)
    run = Load(parser, texts, given.confidence)
    service, port = start_service(given.model)
    try:
        asyncio.run(load(Load(parser, texts[:20], given.confidence), port, 4, 1.0))  # waits until it is ready
        without = [offline(parser, texts, given.confidence, sum(run.words), min(5, given.seconds / 4))]
        used, own, start = cpu_of(service.pid), resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        asyncio.run(load(run, port, given.clients, given.seconds))
        spent = time.monotonic() - start
        clients = resource.getrusage(resource.RUSAGE_SELF)
        own_cpu = clients.ru_utime + clients.ru_stime - own.ru_utime - own.ru_stime
        used = cpu_of(service.pid) - used
        memory = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{service.pid}/status").read_text())[1]
        without.append(offline(parser, texts, given.confidence, sum(run.words), min(5, given.seconds / 4)))
    finally:
        service.send_signal(signal.SIGTERM)
        service.communicate()
    report(given, run, spent, used, own_cpu, int(memory), without)


def report(given, run, spent, used, own_cpu, memory, without) -> None:
    right, busy = run.counts.pop("right", 0), run.counts.pop("429", 0)
    wrong = sum(count for what, count in run.counts.items() if what.startswith("wrong"))
    lost = sum(count for what, count in run.counts.items() if what.startswith("lost"))
    times = np.array(run.latencies or [np.nan]) * 1000
    speed, (base, base_cpu) = run.parsed / spent, np.mean(without, axis=0)
    both = ", ".join(f"{one:,.0f}" for one, _ in without)
    share = 100 * run.parsed / used / base_cpu
    print(f"{given.clients} clients, {spent:.0f} s, {given.sentences} sentences a request, model {given.model}")
    print(f"answers: {right:,} right, {wrong} wrong, {lost} lost, {busy} times 429 {dict(run.counts) or ''}")
    print(f"latency: p50 {np.percentile(times, 50):,.0f} ms, p99 {np.percentile(times, 99):,.0f} ms")
    print(f"words/s: {speed:,.0f}, {100 * speed / base:.0f} % of offline: {base:,.0f} (before and after: {both})")
    print(f"words per CPU second of the service: {run.parsed / used:,.0f}, {share:.0f} % of offline: {base_cpu:,.0f}")
    print(f"CPU: service {used:.1f} s, clients {own_cpu:.1f} s")
    print(f"peak memory of the service: {memory / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
