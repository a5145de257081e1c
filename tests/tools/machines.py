"""Runs several sidecars as `deploy/compose-cluster.yaml` does, and takes machines, the database and builds away from them.

The services are started without containers from the commands, settings and configurations of that file; only names of hosts
and ports are those of this machine. Readers and agents send their requests through Caddy while things happen:

- builds reach the sidecars at different seconds: no file of a page is missing
- a rolling restart: no request fails
- a sidecar without its build, without its database: `/readyz` names it, and others serve
- the database is away, read-only, promoted, or requires TLS with a private authority
- `pg_dump` and `pg_restore` as docs/registrations.md describes them

Every process is ended by this one.
"""

import http.client
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import yaml

bin_folder, work, public_port, sidecar_port, admin_port, database_port, standby_port, pooler_port = (
    Path(sys.argv[1]),
    Path(sys.argv[2]),
    *map(int, sys.argv[3:9]),
)
root = Path(__file__).resolve().parents[2]
LONG = int(os.environ.get("TEST_TIMES", "1")) > 1
# Requests during a rolling restart.
REQUESTS = 100_000 if LONG else 4_000
READERS = 8
# The longest wait on a busy machine, in seconds.
PATIENCE = 120.0
PASSWORD = "0d7f6c1e5b"
SIDECARS = ["sidecar-1", "sidecar-2", "sidecar-3"]
ADDRESSES = {name: f"127.0.0.1{number + 1}" for number, name in enumerate(SIDECARS)}
BY_AGENT = {"Content-Type": "application/json"}
findings = []


def expect(is_so, finding):
    if not is_so:
        findings.append(finding)
        print(f"FAIL  {finding}", flush=True)


def eventually(what, is_so):
    end = time.monotonic() + PATIENCE
    while not (result := is_so()):
        if time.monotonic() > end:
            raise SystemExit(f"never: {what}")
        time.sleep(0.05)
    return result


class Client:
    """A client with an address of its own and a persistent connection."""

    def __init__(self, host, port, source=None):
        self.connection = http.client.HTTPConnection(host, port, PATIENCE, source and (source, 0))
        self.fields = {"X-Forwarded-For": source.replace("127.", "100.", 1)} if source else {}

    def ask(self, method, path, body=None, headers=()):
        """Returns status, header fields and body; `None` and the error without a response."""
        try:
            self.connection.request(method, path, body and json.dumps(body), self.fields | dict(headers))
            response = self.connection.getresponse()
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            return None, {}, repr(error).encode()

    def register(self, headers=()):
        return self.ask("POST", "/agent/auth", {"type": "anonymous"}, BY_AGENT | dict(headers))

    def team(self, credential):
        return self.ask("GET", "/api/v1/team", headers={"Authorization": f"Bearer {credential}"})[0]

    def revoke(self, credential):
        fields = {"Content-Type": "application/x-www-form-urlencoded"}
        self.connection.request("POST", "/oauth2/revoke", f"token={credential}", fields)
        response = self.connection.getresponse()
        response.read()
        return response.status


# The hosts of clients: each is limited by itself.
numbers = itertools.count(1)


def balancer():
    """A new client, which no other test has used."""
    number = next(numbers)
    return Client("127.0.0.1", public_port, f"127.{number // 40_000 + 1}.{number // 200 % 200 + 1}.{number % 200 + 1}")


def direct(name):
    return Client(ADDRESSES[name], sidecar_port)


def readiness(name):
    status, _, text = Client(ADDRESSES[name], admin_port).ask("GET", "/readyz")
    return status, text.decode()


def ready(name):
    return readiness(name)[0] == 200


def all_ready():
    return all(map(ready, SIDECARS))


def new_credential(client):
    status, _, body = eventually("a registration", lambda: (reply := client.register())[0] == 200 and reply)
    return json.loads(body)["credential"]


class Composition:
    """The services of the composition, as processes of this machine."""

    def __init__(self):
        variables = {"SITE": f"http://127.0.0.1:{public_port}", "DATABASE_PASSWORD": PASSWORD}
        text = (root / "deploy/compose-cluster.yaml").read_text()
        text = re.sub(r"\$\{(\w+)(?::[-?]([^}]*))?\}", lambda found: variables.get(found[1], found[2] if ":-" in found[0] else ""), text)
        for name, address in ADDRESSES.items():
            text = text.replace(f"{name}:8080", f"{address}:{sidecar_port}")
        # Clients on this machine name themselves, since addresses of this machine are one client to a sidecar.
        text = text.replace("health_port 8081", f"health_port {admin_port}\n        trusted_proxies 127.0.0.0/8")
        text = text.replace("@pgbouncer:6432", f"@127.0.0.1:{pooler_port}").replace("listen_port = 6432", f"listen_port = {pooler_port}")
        text = text.replace("listen_addr = *", "listen_addr = 127.0.0.1")
        text = text.replace("host=postgres port=5432", f"host=127.0.0.1 port={database_port}")
        text = text.replace("172.30.81.0/24", "127.0.0.0/8").replace("/etc/pgbouncer/", f"{work}/")
        self.described = yaml.safe_load(text)
        self.services = self.described["services"]
        self.processes = {}

    def configuration(self, service):
        """Writes the configurations of a service into the work folder."""
        for entry in self.services[service]["configs"]:
            path = work / Path(entry["target"]).name
            path.write_text(self.described["configs"][entry["source"]]["content"])
            give_away(path)

    def start(self, name, command, environment=(), user=False):
        log = (work / f"{name}.log").open("ab")
        command = [*(as_nobody if user else []), *map(str, command)]
        own = {"PATH": os.environ["PATH"], "HOME": str(work), **dict(environment)}
        self.processes[name] = subprocess.Popen(command, env=own, cwd=work, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def end(self, name, how=signal.SIGTERM):
        process = self.processes.pop(name)
        process.send_signal(how)
        return process.wait(PATIENCE)

    def sidecar(self, name, store=None):
        described = self.services[name]
        environment = described["environment"] | {
            "MECELLE_LISTEN": f"{ADDRESSES[name]}:{sidecar_port}",
            "MECELLE_ADMIN_LISTEN": f"{ADDRESSES[name]}:{admin_port}",
            "MECELLE_DIST": str(work / name / "dist"),
            "MECELLE_SECRET_FILE": str(work / "secret"),
            # The load is many clients, all on this machine.
            "MECELLE_LIMITS_REGISTRATION_PER_MINUTE": "1000000",
            "MECELLE_LIMITS_CONTENT_PER_MINUTE": "1000000",
            "MECELLE_LIMITS_MCP_PER_MINUTE": "1000000",
            "MECELLE_LIMITS_ANONYMOUS": "1000000",
        }
        if store:
            environment["MECELLE_STORE"] = store
        self.start(name, [bin_folder / "sidecar", "serve"], environment)

    def command(self, *words, store=None):
        """Runs a command of an operator with the settings of the first sidecar; returns its exit code and its output."""
        environment = self.services["sidecar-1"]["environment"] | {
            "PATH": os.environ["PATH"],
            "MECELLE_DIST": str(work / "sidecar-1/dist"),
            "MECELLE_SECRET_FILE": str(work / "secret"),
        }
        if store:
            environment["MECELLE_STORE"] = store
        done = subprocess.run([bin_folder / "sidecar", *words], env=environment, capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr

    def end_all(self):
        for name in list(self.processes)[::-1]:
            self.end(name, signal.SIGINT if name in ("postgres", "standby") else signal.SIGTERM)


as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []


def give_away(path):
    if as_nobody:
        shutil.chown(path, 65534, 65534)


def run(*command, **more):
    return subprocess.run([*as_nobody, *map(str, command)], check=True, timeout=PATIENCE, **more)


def sql(port, statement):
    environment = {"PATH": os.environ["PATH"], "PGPASSWORD": PASSWORD}
    command = ["psql", "-h", "127.0.0.1", "-p", str(port), "-U", "mecelle", "-qAtc", statement, "mecelle"]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.strip()


def is_up(port):
    command = ["pg_isready", "-h", "127.0.0.1", "-p", str(port), "-t", "5"]
    return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0


def make_database():
    folder = work / "postgres"
    folder.mkdir()
    password = work / "password"
    password.write_text(PASSWORD)
    for path in (work, folder, password):
        give_away(path)
    run(
        "initdb",
        "-D",
        folder / "data",
        "--auth=scram-sha-256",
        "--username=mecelle",
        f"--pwfile={password}",
        "--no-sync",
        stdout=subprocess.DEVNULL,
    )


def start_database(composition, name="postgres", port=database_port):
    settings = ["-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={work}", "-p", port, "-c", "fsync=off"]
    composition.start(name, ["postgres", "-D", work / name / "data", *settings], user=True)
    eventually(f"{name} answers", lambda: is_up(port))


@contextmanager
def readers(count, visit):
    """Calls `visit` with a number, again and again, in `count` threads, until the block ends; then raises what failed."""
    is_over = threading.Event()
    visits, failures = [0] * count, []

    def read(number):
        turn = 0
        while not is_over.is_set():
            try:
                failure = visit(number, turn)
            except Exception as error:  # noqa: BLE001
                failure = repr(error)
            if failure:
                failures.append(failure)
            turn += 1
            visits[number] = turn

    threads = [threading.Thread(target=read, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    report = {"visits": visits, "failures": failures}
    try:
        yield report
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def check_credentials():
    first = balancer()
    credential = new_credential(first)
    for _ in range(5):
        for name in SIDECARS:
            expect(direct(name).team(credential) == 200, f"{name} refuses a credential of another")
    expect(direct("sidecar-2").revoke(credential) == 200, "sidecar-2 does not revoke")
    for name in SIDECARS:
        expect(direct(name).team(credential) == 401, f"{name} accepts what another has revoked")


def check_budgets():
    """Five anonymous registrations of one client in an hour, whichever sidecars it reaches."""
    client = {"X-Forwarded-For": "203.0.113.9"}
    statuses = [direct(SIDECARS[turn % 3]).register(client)[0] for turn in range(7)]
    expect(statuses == [200] * 5 + [429] * 2, f"the limit of one client is not shared: {statuses}")


FILES = re.compile(rb'(?:href|src)="(?:http://127\.0\.0\.1:\d+)?(/assets/[^"]+)"')


def check_builds():
    """Two more builds reach one sidecar after the other."""
    pages = set()
    clients = [balancer() for _ in range(READERS)]

    def view(number, turn):
        client = clients[number]
        status, _, page = client.ask("GET", "/en", headers={"Accept": "text/html"})
        files = FILES.findall(page)
        if status != 200 or not files:
            return f"/en: {status} {page[:80]!r}"
        pages.add(frozenset(files))
        for path in files:
            if (status := client.ask("GET", path.decode())[0]) != 200:
                return f"{path.decode()} of a page: {status}"
        return None

    with readers(READERS, view) as report:
        for build in ("two", "three"):
            for name in SIDECARS:
                place(build, name)
                before = sum(report["visits"])
                name_of_build = manifest(build)["build"]
                client = Client(ADDRESSES[name], admin_port)
                eventually("the build", lambda: name_of_build in client.ask("GET", "/metrics")[2].decode())
                eventually("more page views", lambda: sum(report["visits"]) > before + 2 * READERS)
    expect(len(pages) == 3, f"{len(pages)} sets of files were seen")
    expect(not report["failures"], f"of {sum(report['visits'])} page views: {report['failures'][:3]}")
    print(f"ok    {sum(report['visits'])} page views while builds arrive", flush=True)


def manifest(build):
    return json.loads((work / build / "manifest.json").read_text())


def place(build, name):
    """Publishes a build to a sidecar as the manual says: all files, and the manifest last."""
    target = work / name / "dist"
    shutil.copytree(work / build, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("manifest.json", ".lock"))
    part = target / "manifest.json.part"
    shutil.copyfile(work / build / "manifest.json", part)
    part.rename(target / "manifest.json")


def check_rolling_restart(composition):
    credential = new_credential(balancer())
    clients = [balancer() for _ in range(READERS)]
    late = []

    def request(number, turn):
        client = clients[number]
        match turn % 8:
            case 0 | 4:
                status = client.team(credential)
            case 2:
                status, fields, _ = balancer().register()
                # A write that a busy machine delays by seconds is refused as one to repeat, and an agent repeats it.
                if status == 503 and fields.get("Retry-After"):
                    late.append(turn)
                    time.sleep(min(float(fields["Retry-After"]), 5))
                    status = balancer().register()[0]
            case 6:
                status = client.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, BY_AGENT)[0]
            case _:
                status = client.ask("GET", "/en/team")[0]
        return None if status == 200 else f"{turn % 8}: {status}"

    start = time.monotonic()
    with readers(READERS, request) as report:
        rounds = 0
        while sum(report["visits"]) < REQUESTS or rounds == 0:
            for name in SIDECARS:
                expect(composition.end(name) == 0, f"{name} does not end in order")
                composition.sidecar(name)
                eventually(f"{name} is ready again", lambda name=name: ready(name))
                # Caddy notices within its interval.
                before = sum(report["visits"])
                eventually("more requests", lambda before=before: sum(report["visits"]) > before + 20 * READERS)
                time.sleep(2.5)
            rounds += 1
    total, failed = sum(report["visits"]), report["failures"]
    expect(not failed, f"{len(failed)} of {total} requests failed during {rounds} rolling restarts: {failed[:5]}")
    expect(len(late) <= total / 1000, f"{len(late)} of {total} requests were to be repeated")
    seconds = time.monotonic() - start
    print(f"ok    {total} requests during {rounds} rolling restarts in {seconds:.0f} s; {len(late)} were repeated", flush=True)


def check_killed(composition):
    """The end of one machine takes no other out: only requests in progress there fail, and those with a body that meet it."""
    clients = [balancer() for _ in range(READERS)]

    def request(number, turn):
        client = clients[number]
        if turn % 2:
            status = client.ask("GET", "/en/team")[0]
        else:
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            status = client.ask("POST", "/mcp", ping, BY_AGENT)[0]
        return None if status == 200 else f"{turn % 2}: {status}"

    for name in SIDECARS[1:]:
        with readers(READERS, request) as report:
            eventually("requests before the end", lambda: sum(report["visits"]) > 10 * READERS)
            composition.end(name, signal.SIGKILL)
            before = sum(report["visits"])
            eventually("requests after the end", lambda: sum(report["visits"]) > before + 100 * READERS)
        composition.sidecar(name)
        eventually(f"{name} is ready again", lambda name=name: ready(name))
        time.sleep(2.5)
        total, failed = sum(report["visits"]), report["failures"]
        expect(len(failed) <= 4 * READERS, f"{len(failed)} of {total} requests failed after {name} was killed: {failed[:20]}")
        print(f"ok    {name} was killed: {len(failed)} of {total} requests failed", flush=True)


def check_lost_build():
    """A machine whose disk is away is taken out, and serves what it has in memory."""
    dist = work / "sidecar-2/dist"
    aside = dist.with_name("aside")
    dist.rename(aside)
    status, text = eventually("a sidecar without its build", lambda: (found := readiness("sidecar-2"))[0] == 503 and found)
    expect("build: " in text and str(dist) in text, f"/readyz does not name the build: {text}")
    expect(direct("sidecar-2").ask("GET", "/en")[0] == 200, "a sidecar without its folder serves nothing")
    aside.rename(dist)
    eventually("the sidecar is ready again", all_ready)


def check_readiness_is_cheap():
    """A thousand requests cost the database at most one probe in a second."""
    client = Client(ADDRESSES["sidecar-1"], admin_port)

    def operations():
        text = client.ask("GET", "/metrics")[2].decode()
        return int(re.search(r"^mecelle_store_operation_duration_seconds_count (\d+)", text, re.M)[1])

    before, start = operations(), time.monotonic()
    for _ in range(1_000):
        expect(client.ask("GET", "/readyz")[0] == 200, "/readyz is not 200")
    seconds = time.monotonic() - start
    # A reading of the metrics itself uses the store, and so does the sweep.
    expect(operations() - before <= 2 * seconds + 20, f"{operations() - before} operations of the store in {seconds:.1f} s")
    status, _, text = client.ask("GET", "/readyz", headers={"Host": "firm.example"})
    expect(status == 403 and b"MECELLE_ADMIN_HOSTS" in text, f"a foreign name reaches the admin address: {status}")


def check_lost_database(composition):
    """Without the database, content is served by all, and what was acknowledged is there afterwards."""
    credential = new_credential(balancer())
    composition.end("postgres", signal.SIGINT)
    for name in SIDECARS:
        status, text = eventually("a sidecar without its database", lambda name=name: (found := readiness(name))[0] == 503 and found)
        expect("store: " in text, f"/readyz of {name} does not name the store: {text}")
    # Until Caddy notices.
    time.sleep(2)
    for _ in range(20):
        client = balancer()
        expect((status := client.ask("GET", "/en")[0]) == 200, f"content without the database: {status}")
        status, fields, _ = client.register()
        expect(status == 503 and fields.get("Retry-After"), f"a registration without the database: {status}")
        expect(client.ask("GET", "/readyz")[0] == 404, "/readyz is public")
    start_database(composition)
    eventually("all are ready again", all_ready)
    eventually("the credential is there", lambda: balancer().team(credential) == 200)
    print("ok    the database was away", flush=True)


def check_dump(composition):
    """The commands of the manual for a store on PostgreSQL."""
    manual = (root / "docs/registrations.md").read_text()
    dump, restore = (re.search(rf"`({begin}[^`]*)`", manual)[1] for begin in ("pg_dump --format", "pg_restore --clean"))
    credential = new_credential(balancer())
    environment = {
        "PATH": os.environ["PATH"],
        "PGPASSWORD": PASSWORD,
        "PGHOST": "127.0.0.1",
        "PGPORT": str(database_port),
        "PGUSER": "mecelle",
    }
    file = work / "mecelle.dump"

    def in_shell(command):
        subprocess.run(["sh", "-c", command], env=environment, check=True, cwd=work, timeout=PATIENCE)

    count = "SELECT COUNT(*) FROM registration"
    before = sql(database_port, count)
    in_shell(dump.replace("FILE", str(file)))
    listed = subprocess.run(["pg_restore", "--list", file], env=environment, check=True, capture_output=True, text=True)
    expect(" TABLE DATA public registration " in listed.stdout, "the dump has no registrations")
    after = new_credential(balancer())
    for name in SIDECARS:
        composition.end(name)
    in_shell(restore.replace("FILE", str(file)))
    expect(sql(database_port, count) == before, "the restored database has other registrations")
    code, said = composition.command("revoke", "--all")
    expect(code == 0, f"revoke --all: {said}")
    for name in SIDECARS:
        composition.sidecar(name)
    eventually("all are ready again", all_ready)
    for name in SIDECARS:
        statuses = [direct(name).team(old) for old in (credential, after)]
        expect(statuses == [401, 401], f"{name} answers credentials from before a restore with {statuses}")
    client = balancer()
    # A sidecar counts again once Caddy has asked it.
    eventually("the balancer has the sidecars again", lambda: client.team(credential) == 401)
    expect(client.team(new_credential(client)) == 200, "after a restore nothing is registered")
    print("ok    pg_dump and pg_restore", flush=True)


def check_standby(composition):
    """A replica refuses writes with the cure, and is a store once it is promoted."""
    folder = work / "standby"
    folder.mkdir()
    give_away(folder)
    source = f"host=127.0.0.1 port={database_port} user=mecelle password={PASSWORD}"
    run("pg_basebackup", "-d", source, "-D", folder / "data", "-R", "-X", "stream", "-c", "fast")
    start_database(composition, "standby", standby_port)
    credential = new_credential(balancer())
    eventually(
        "the replica has it",
        lambda: sql(standby_port, "SELECT pg_last_wal_replay_lsn()") >= sql(database_port, "SELECT pg_current_wal_lsn()"),
    )
    store = f"postgres://mecelle:{PASSWORD}@127.0.0.1:{standby_port}/mecelle"
    composition.end("sidecar-3")
    composition.sidecar("sidecar-3", store)
    eventually("it serves", lambda: direct("sidecar-3").ask("GET", "/en")[0] == 200)
    status, text = eventually("the replica is named", lambda: (found := readiness("sidecar-3"))[0] == 503 and found)
    expect("read-only" in text and "name the primary" in text, f"/readyz does not name the replica: {text}")
    expect(direct("sidecar-3").register()[0] == 503, "a replica takes a registration")
    code, said = composition.command("diagnose", store=store)
    expect(code == 1 and "name the primary" in said and PASSWORD not in said, f"diagnose: {said}")
    composition.end("postgres", signal.SIGINT)
    run("pg_ctl", "promote", "-D", folder / "data", "-w", stdout=subprocess.DEVNULL)
    eventually("the promoted replica is a store", lambda: ready("sidecar-3"))
    client = direct("sidecar-3")
    expect(client.team(credential) == 200, "a credential is not on the promoted replica")
    expect(client.team(new_credential(client)) == 200, "a promoted replica takes no registration")
    print("ok    a replica was promoted", flush=True)


def check_tls(composition):
    """A server that admits nothing without TLS, with a certificate of a private authority."""
    data = work / "standby/data"
    for words in (
        f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=authority -keyout {work}/ca.key -out {work}/ca.pem",
        f"req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=db -keyout {data}/server.key -out {work}/server.csr",
        f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=other -keyout {work}/other.key -out {work}/other.pem",
    ):
        run("openssl", *words.split(), stderr=subprocess.DEVNULL)
    names = work / "names"
    names.write_text("subjectAltName=IP:127.0.0.1\n")
    run(
        "openssl",
        *f"x509 -req -in {work}/server.csr -CA {work}/ca.pem -CAkey {work}/ca.key -days 30 -extfile {names} -out {data}/server.crt".split(),
        stderr=subprocess.DEVNULL,
    )
    (data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 scram-sha-256\n")
    sql(standby_port, "ALTER SYSTEM SET ssl = on")
    composition.end("sidecar-3")
    composition.end("standby", signal.SIGINT)
    start_database(composition, "standby", standby_port)
    store = f"postgres://mecelle:{PASSWORD}@127.0.0.1:{standby_port}/mecelle?sslmode="
    trusted = f"{store}verify-full&sslrootcert={work}/ca.pem"
    code, said = composition.command("stats", store=trusted)
    expect(code == 0, f"with the authority: {said}")
    for query, words in (
        ("disable", "no encryption"),
        (f"verify-full&sslrootcert={work}/other.pem", "not trusted"),
        ("verify-full", "not trusted"),
    ):
        code, said = composition.command("stats", store=store + query)
        lines = [line for line in said.splitlines() if line.startswith("sidecar: ")]
        expect(code == 1 and len(lines) == 1 and words in lines[0], f"sslmode={query}: {said}")
        expect(PASSWORD not in said, f"sslmode={query}: the password is printed")
    composition.sidecar("sidecar-3", trusted)
    eventually("a store over TLS", lambda: ready("sidecar-3"))
    client = direct("sidecar-3")
    expect(client.team(new_credential(client)) == 200, "no registration over TLS")
    print("ok    TLS with a private authority", flush=True)


def check_manual(composition):
    """The blocks of docs/machines.md: the proxy's is that of the composition, and the sidecar accepts the settings."""
    blocks = re.findall(r"```(\w*)\n(.*?)```", (root / "docs/machines.md").read_text(), re.S)
    [manual] = [text for _, text in blocks if text.startswith("(sidecars)")]
    for number, name in enumerate(SIDECARS):
        manual = manual.replace(f"10.0.0.{number + 11}:8080", f"{ADDRESSES[name]}:{sidecar_port}")
    manual = manual.replace("health_port 8081", f"health_port {admin_port}").replace("firm.example", f"http://127.0.0.1:{public_port}")

    def lines(text):
        stripped = (line.strip() for line in text.splitlines())
        return [line for line in stripped if line and not line.startswith(("#", "header ", "trusted_proxies "))]

    composed = composition.described["configs"]["caddyfile"]["content"]
    expect(lines(manual) == lines(composed), f"docs/machines.md has another proxy: {lines(manual)}")
    [settings] = [text for kind, text in blocks if kind == "toml"]
    [variables] = [text for _, text in blocks if text.startswith("MECELLE_STORE=")]
    file = work / "sidecar.toml"
    file.write_text(settings.replace("/srv/mecelle/dist", str(work / "one")).replace("/var/lib/mecelle", str(work)))
    script = f"set -a; {variables}\n'{bin_folder}/sidecar' check-config --config '{file}'"
    done = subprocess.run(["sh", "-c", script], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=PATIENCE)
    # The build offers what needs a trust list.
    problems = [line for line in (done.stdout + done.stderr).splitlines() if "no agent provider is trusted" not in line]
    expect(done.returncode == 0 or not problems, f"the settings of docs/machines.md: {problems}")


def main():
    composition = Composition()
    work.chmod(0o711)
    check_manual(composition)
    try:
        make_database()
        start_database(composition)
        sql_on_template("CREATE DATABASE mecelle")
        composition.configuration("pgbouncer")
        command = composition.services["pgbouncer"]["command"]
        composition.start("pgbouncer", command, user=True)
        for name in SIDECARS:
            place("one", name)
            composition.sidecar(name)
            # The first one creates the secret file.
            eventually(f"{name} is ready", lambda name=name: ready(name))
        composition.configuration("caddy")
        caddyfile = work / "Caddyfile"
        caddyfile.write_text("{\n\tadmin off\n}\n" + caddyfile.read_text())
        composition.start("caddy", ["caddy", "run", "--config", caddyfile])
        eventually("Caddy serves", lambda: balancer().ask("GET", "/en")[0] == 200)
        check_credentials()
        check_budgets()
        check_readiness_is_cheap()
        check_builds()
        check_rolling_restart(composition)
        check_killed(composition)
        check_lost_build()
        check_lost_database(composition)
        check_dump(composition)
        check_standby(composition)
        check_tls(composition)
    finally:
        composition.end_all()
    logs = "".join(path.read_text(errors="replace") for path in work.glob("*.log"))
    expect("panicked" not in logs, "a sidecar panicked")
    expect(PASSWORD not in "".join((work / f"{name}.log").read_text() for name in SIDECARS), "the password is in a log")
    return 1 if findings else 0


def sql_on_template(statement):
    environment = {"PATH": os.environ["PATH"], "PGPASSWORD": PASSWORD}
    command = ["psql", "-h", "127.0.0.1", "-p", str(database_port), "-U", "mecelle", "-qAtc", statement, "postgres"]
    subprocess.run(command, env=environment, check=True, timeout=PATIENCE)


if __name__ == "__main__":
    sys.exit(main())
