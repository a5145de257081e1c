#!/usr/bin/env python3
"""Measure a store with as many registrations as the ceiling allows, on SQLite and on PostgreSQL.

    rows_bench.py [--rows 1000000] [--rounds 3] [--seconds 5] [--stores SQLite,PostgreSQL] [--dist FOLDER]

The sidecar creates the tables and one registration. `tests/fixtures/crowd.sql` copies it; some copies get a credential that
the benchmark can use. Calls are measured with few rows and with all rows, then while a purge deletes all of them. Stores are
on disk and durable as shipped.
"""
import argparse
import hashlib
import http.client
import json
import random
import shutil
import sqlite3
import subprocess
import threading
import time
from pathlib import Path

from auth_bench import TEAM, register
from measure import HERE, REPOSITORY, cpu_seconds, markdown, median, program, run, workspace
from servers import Postgres, sidecar

CROWD = REPOSITORY / "tests" / "fixtures" / "crowd.sql"
STEP = 50_000
# Rows that one batch of a purge deletes: `BATCH` of crates/registration/src/store/sweep.rs.
BATCH = 250
KEYS = 2_000
MONTHS = 200 * 24 * 3600 * 1000
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Sqlite:
    name = "SQLite"

    def __init__(self, folder):
        self.path = folder / "store.db"

    def setting(self):
        return f"sqlite://{self.path}"

    def run(self, sql):
        with sqlite3.connect(self.path, timeout=60) as database:
            database.executescript(f"BEGIN IMMEDIATE;{sql};COMMIT;")

    def one(self, sql):
        with sqlite3.connect(self.path, timeout=60) as database:
            return database.execute(sql).fetchone()[0]

    def settle(self):
        """Checkpoints the write-ahead log, which holds more rows than any real transaction writes."""
        with sqlite3.connect(self.path, timeout=60) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def size(self):
        return sum(file.stat().st_size for file in self.path.parent.glob("store.db*"))


class Server:
    name = "PostgreSQL"

    def __init__(self, postgres):
        self.postgres = postgres

    def setting(self):
        return self.postgres.store()

    def _psql(self, sql):
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.postgres.store()]
        return subprocess.run(command, input=sql, check=True, capture_output=True, text=True).stdout.strip()

    def run(self, sql):
        self._psql(f"BEGIN;{sql};COMMIT;")

    def one(self, sql):
        return self._psql(sql)

    def settle(self):
        """Runs the maintenance that the server would start within minutes."""
        self._psql("VACUUM ANALYZE;")
        self._psql("CHECKPOINT;")

    def size(self):
        return int(self.one("SELECT pg_database_size(current_database())"))


def multiply(store, model, rows):
    """Inserts `rows` copies of the registration `model`."""
    text = CROWD.read_text()
    crowd, statements = text[text.index("WITH RECURSIVE"):].split("-- ---")
    for first in range(1, rows + 1, STEP):
        last = min(first + STEP - 1, rows)
        filled = statements.replace("{CROWD}", crowd).replace("{MODEL}", model)
        store.run(filled.replace("{FIRST}", str(first)).replace("{LAST}", str(last)).rstrip().rstrip(";"))


def keys(store, rows):
    """Gives new credentials to registrations spread over the store; returns them."""
    rng, known, changes = random.Random(rows), [], []
    factors = (2654435761, 2246822519, 3266489917, 668265263, 374761393, 2971215073)
    for number in rng.sample(range(1, rows + 1), min(KEYS, rows)):
        key = "ak_" + "".join(rng.choice(ALPHABET) for _ in range(27))
        before = "".join(str(1000000000 + number * factor % 2**32) for factor in factors) + "aaaa"
        changes.append(f"UPDATE credential SET digest = '{hashlib.sha256(key.encode()).hexdigest()}' "
                       f"WHERE digest = '{before}'")
        known.append(key)
    store.run(";".join(changes))
    return known


def calls(server, known, seconds, connections):
    """Calls with varying credentials over several connections; returns median, p99 and maximum in ms, the number of responses
    other than 200, and the number of calls."""
    times, failures, over = [], [0], threading.Event()

    def one(number):
        connection, rng = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30), random.Random(number)
        while not over.is_set():
            headers = {"Authorization": f"Bearer {rng.choice(known)}"}
            start = time.perf_counter()
            connection.request("GET", TEAM, headers=headers)
            response = connection.getresponse()
            response.read()
            times.append(time.perf_counter() - start)
            failures[0] += response.status != 200

    threads = [threading.Thread(target=one, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    if callable(seconds):
        seconds()
    else:
        time.sleep(seconds)
    over.set()
    for thread in threads:
        thread.join()
    times.sort()
    return [times[len(times) // 2] * 1e3, times[len(times) * 99 // 100] * 1e3, times[-1] * 1e3, failures[0], len(times)]


def middle(server, known, options):
    rounds = [calls(server, known, options.seconds, 1) for _ in range(options.rounds)]
    before, sent = cpu_seconds(server.process.pid), 0
    for _ in range(options.rounds):
        sent += calls(server, known, options.seconds / 2, 2)[4]
    cost = (cpu_seconds(server.process.pid) - before) * 1e6 / sent
    return [median(one[place] for one in rounds) for place in (0, 1)] + [cost, sum(one[3] for one in rounds)]


def refusal(server):
    """Returns the response to an anonymous registration above the ceiling."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("POST", "/agent/auth", '{"type":"anonymous"}', {"Content-Type": "application/json"})
    response = connection.getresponse()
    response.read()
    return f"{response.status}, Retry-After {response.getheader('Retry-After')}"


def measure(store, dist, folder, options, rows):
    most = {f"MECELLE_LIMITS_{name}": "100000000" for name in ("ANONYMOUS", "ANONYMOUS_PER_CLIENT",
                                                              "REGISTRATION_PER_MINUTE")}
    most["MECELLE_LIMITS_REGISTRATIONS"] = str(options.rows + KEYS)
    settings = {"MECELLE_STORE": store.setting(), **most}
    server = sidecar(dist, folder / store.name, **settings)
    try:
        few = [register(server.port) for _ in range(200)]
        digest = hashlib.sha256(few[0].encode()).hexdigest()
        model = store.one(f"SELECT registration FROM credential WHERE digest = '{digest}'")
        store.settle()
        among_few, empty = middle(server, few, options), store.size()
        start = time.monotonic()
        multiply(store, model, options.rows)
        known = keys(store, options.rows)
        store.settle()
        filled, full = time.monotonic() - start, store.size()
        among_all = middle(server, known, options)
        # Fill the remaining room below the ceiling, then register once more.
        rest = options.rows + KEYS - int(store.one("SELECT count FROM counter WHERE bucket = 'registrations'"))
        for _ in range(rest):
            register(server.port)
        said = refusal(server)
        again = calls(server, known, 1, 1)[3]
        # All but one registration expire at once; a purge deletes them while agents call with the remaining credential.
        kept = registration_of(store, known[0])
        store.run(f"UPDATE registration SET forget_at = forget_at - {MONTHS} WHERE id <> '{kept}'")
        store.settle()
        command, took = [program("sidecar"), "purge"], []
        clean = {"MECELLE_DIST": str(dist), "MECELLE_SECRET_FILE": f"{folder}/{store.name}/secret", "MECELLE_MAIL": "none"}

        def purge():
            begin = time.monotonic()
            took.append(subprocess.run(command, env={**clean, **settings}, check=True, capture_output=True, text=True).stdout)
            took.append(time.monotonic() - begin)

        during = calls(server, known[:1], purge, 2)
        # The service deletes rows each minute as well; count the deletions of both.
        gone = options.rows + KEYS - int(store.one("SELECT count FROM counter WHERE bucket = 'registrations'"))
        rows["rows"].append([store.name, f"{options.rows:,}", f"{filled:.0f}", f"{(full - empty) / 1e6:,.0f}",
                             f"{(full - empty) / options.rows:,.0f}", said, again])
        for label, one in (("few", among_few), ("all", among_all)):
            rows["calls"].append([store.name, label, f"{one[0]:.3f}", f"{one[1]:.3f}", f"{one[2]:.1f}", one[3]])
        rows["sweep"].append([store.name, f"{gone:,}", f"{took[1]:.1f}", f"{took[1] / (gone / BATCH) * 1e3:.1f}",
                              f"{during[0]:.3f}", f"{during[1]:.3f}", f"{during[2]:.0f}", during[3]])
    finally:
        server.stop()


def registration_of(store, key):
    return store.one(f"SELECT registration FROM credential WHERE digest = '{hashlib.sha256(key.encode()).hexdigest()}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--stores", default="SQLite,PostgreSQL")
    parser.add_argument("--dist", type=Path, help="Use this build instead of the demonstration firm's")
    options = parser.parse_args()
    folder, _ = workspace("rows", 1)
    folder.chmod(0o755)
    disk = HERE / "results" / folder.name
    disk.mkdir(parents=True, exist_ok=True)
    rows = {"rows": [], "calls": [], "sweep": []}
    try:
        dist = options.dist or folder / "dist"
        if not options.dist:
            run([program("generator"), "build", "--content", REPOSITORY / "content", "--templates",
                 REPOSITORY / "templates", "--out", dist])
        if Sqlite.name in options.stores:
            measure(Sqlite(disk), dist, folder, options, rows)
        if Server.name in options.stores:
            postgres = Postgres(folder / "postgres", disk / "postgres")
            try:
                measure(Server(postgres), dist, folder, options, rows)
            finally:
                postgres.stop()
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(disk, ignore_errors=True)
    markdown("A store at its ceiling", ["store", "registrations", "filled in s", "MB", "bytes each",
                                        "response to one more", "failed calls then"], rows["rows"])
    markdown("Calls with credentials from all over the store",
             ["store", "rows", "median ms", "p99 ms", "CPU µs", "failures"], rows["calls"])
    markdown("A purge of all registrations, under load from two clients",
             ["store", "rows", "s", f"ms for {BATCH} rows", "median ms", "p99 ms", "slowest ms", "failures"], rows["sweep"])


if __name__ == "__main__":
    main()
