#!/usr/bin/env python3
"""Measure the time from a save to the updated page: `generator preview` beside `hugo server`.

    preview_bench.py [--publications 2000] [--rounds 20]

Publications are per language. Each round saves another sentence in an article. The clock runs from before the save until the
page contains the sentence. The benchmark requests the page when the preview sends the event `changed`, as its script does;
from Hugo, which serves the old page until then, it requests the page every 2 ms.
"""
import argparse
import http.client
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode

from build_bench import NOW, hugo_program
from measure import HERE, REPOSITORY, cpu_seconds, judged, markdown, median, memory, program, run, workspace
from servers import free_port

TIMEOUT = 60  # seconds
ATTRIBUTE = re.compile(r'data-(version|print|path)="([^"]*)"')


class Site:
    """A server whose content has one article that changes."""

    def __init__(self, command, port, article, path, cwd=None):
        self.port, self.article, self.path = port, Path(article), path
        self.original = self.article.read_text()
        start = time.monotonic()
        self.process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "LC_ALL": "C"})
        self.page = self.until(lambda page: page is not None and self.is_of_the_site(page))
        self.started = time.monotonic() - start

    def get(self):
        """Returns the page, or `None` if there is none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        try:
            connection.request("GET", self.path)
            response = connection.getresponse()
            body = response.read().decode()
            return body if response.status == 200 and "<h1" in body else None
        except OSError:
            return None
        finally:
            connection.close()

    def until(self, is_it):
        """Requests the page until `is_it` accepts it."""
        start = time.monotonic()
        while time.monotonic() - start < TIMEOUT:
            page = self.get()
            if is_it(page):
                return page
            if self.process.poll() is not None:
                break
            time.sleep(0.002)
        raise SystemExit(f"no updated page from {self.process.args}")

    def is_of_the_site(self, page):
        """Returns whether the page is part of the site and not a start-up notice."""
        return True

    def wait(self):
        """Waits for a change event, if the server sends any."""

    def listen(self):
        """Subscribes to change events, if the server sends any."""

    def save(self, number):
        """Saves a sentence with this number; returns the seconds until the page contains it, and the CPU seconds of the server."""
        sentence = f"This sentence has the number {number}."
        self.listen()
        spent = cpu_seconds(self.process.pid)
        start = time.monotonic()
        self.article.write_text(f"{self.original}\n{sentence}\n")
        self.wait()
        self.page = self.until(lambda page: page is not None and sentence in page)
        seconds = time.monotonic() - start
        # Include the work after the page is ready.
        time.sleep(max(0.3, 2 * seconds))
        return seconds, cpu_seconds(self.process.pid) - spent

    def end(self):
        self.process.terminate()
        self.process.wait(10)
        self.article.write_text(self.original)


class Preview(Site):
    """The preview, which sends an event when the open page changes."""

    def is_of_the_site(self, page):
        return 'rel="canonical"' in page

    def listen(self):
        self.news = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        self.news.request("GET", "/_preview/events?" + urlencode(dict(ATTRIBUTE.findall(self.page))))
        self.events = self.news.getresponse()
        # The first line arrives once the preview has registered the connection.
        self.events.readline()

    def wait(self):
        for line in self.events:
            if line == b"data: changed\n":
                return self.news.close()
        raise SystemExit("the preview closed the connection without an event")


def preview(content):
    article = sorted([*content.glob("publications/*/en.md"), *content.glob("publications/*/index.en.md")])[0]
    slug = re.search(r"^slug: (.*)$", article.read_text(), re.MULTILINE)[1].strip('"')
    port = free_port()
    command = [program("generator"), "preview", "--content", content, "--templates", REPOSITORY / "templates",
               "--listen", f"127.0.0.1:{port}", *NOW]
    return Preview(command, port, article, f"/en/publications/{slug}")


def hugo(root):
    article = next(path for path in sorted((root / "content/en/publications").iterdir()) if path.name != "_index.md")
    port = free_port()
    command = [hugo_program(), "server", "--quiet", "--renderToMemory", "--bind", "127.0.0.1", "--port", str(port),
               "--cacheDir", root / "cache"]
    return Site(command, port, article, f"/en/publications/{article.stem}/", cwd=root)


def figures(name, site, rounds, goal=None):
    try:
        site.save(0)  # The first save fills caches.
        series = [site.save(number) for number in range(1, rounds + 1)]
        peak = memory(site.process.pid, "VmHWM")
    finally:
        site.end()
    seconds = sorted(seconds for seconds, _ in series)
    middle = median(seconds) * 1e3
    return [name, f"{site.started:.2f}", judged(middle, goal, f"{middle:.0f}") if goal else f"{middle:.0f}", f"{seconds[-1] * 1e3:.0f}",
            f"{median(cpu for _, cpu in series):.2f}", f"{peak:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--publications", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    folder, kind = workspace("preview", options.publications * 0.0003 + 0.2)
    try:
        run([sys.executable, HERE / "make_corpus.py", folder, str(options.publications)])
        shutil.copytree(REPOSITORY / "content", folder / "demonstration")
        size = f"{options.publications:,} publications in two languages"
        rows = [
            figures("preview, the demonstration", preview(folder / "demonstration"), options.rounds, 100),
            figures(f"preview, {size}", preview(folder / "mecelle" / "content"), options.rounds, 300),
            figures(f"hugo server, {size}", hugo(folder / "hugo"), options.rounds),
        ]
        markdown(f"From a save to the page, {options.rounds} saves, on {kind}",
                 ["program", "start s", "median ms", "longest ms", "CPU s a save", "peak MB"], rows)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
