"""Checks with Prometheus the names and units of a sidecar's metrics, the alerts, and the dashboard.

Prometheus scrapes the sidecar on this machine, evaluates the rules of `deploy/alerts.yaml` and answers every query of
`deploy/dashboard.json`. Every metric that these name must exist, every alert must fire in
`tests/tools/alerts.yaml`, and the manual must describe every metric.
"""

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import yaml

# The longest wait for Prometheus to start, scrape and evaluate, in seconds.
PATIENCE = 120.0
PAUSE = 0.2
# Metrics whose rows appear only after events that do not happen here.
RARE = ["mecelle_provider_keys_age_seconds", "mecelle_reload_duration_seconds", "mecelle_store_clock_skew_seconds"]
PARTS = re.compile(r"_(bucket|sum|count)$")

root = Path(__file__).resolve().parents[2]
findings = []


def expect(is_so, finding):
    if not is_so:
        findings.append(finding)


def get(url):
    with urllib.request.urlopen(url, timeout=PATIENCE) as reply:
        return reply.read().decode()


def post(url, body):
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=PATIENCE) as reply:
        return json.load(reply)


class Prometheus:
    """A Prometheus server, which scrapes one address once a second."""

    def __init__(self, folder, port, target):
        self.address = f"http://127.0.0.1:{port}"
        alerts = str(root / "deploy/alerts.yaml")
        jobs = [{"job_name": "mecelle", "static_configs": [{"targets": [target]}]}]
        settings = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [alerts],
            "scrape_configs": jobs,
        }
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "prometheus.yml").write_text(yaml.safe_dump(settings))
        self.log = (folder / "prometheus.log").open("w")
        command = ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
        command.append(f"--web.listen-address=127.0.0.1:{port}")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT)

    def is_ready(self):
        return "ready" in get(f"{self.address}/-/ready").lower()

    def ask(self, path, **query):
        """Returns the data of a response, or the error of the query."""
        try:
            return json.loads(get(f"{self.address}/api/v1/{path}?{urllib.parse.urlencode(query)}"))["data"]
        except urllib.error.HTTPError as error:
            return json.loads(error.read()).get("error", str(error))

    def rows(self, query):
        data = self.ask("query", query=query)
        return data["result"] if isinstance(data, dict) else data

    def until(self, what, is_so):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if is_so():
                    return
            except OSError:
                pass
            time.sleep(PAUSE)
        sys.exit(f"it never came to this: {what}; see {self.log.name}")

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)


def judge_files(names):
    """Checks the rules without a server, and returns every query of alerts and dashboard."""
    for command in (["check", "rules", "deploy/alerts.yaml"], ["test", "rules", "tests/tools/alerts.yaml"]):
        done = subprocess.run(["promtool", *command], cwd=root, capture_output=True, text=True, check=False)
        expect(done.returncode == 0, f"promtool {' '.join(command)}: {done.stdout}{done.stderr}")
    rules = [rule for group in yaml.safe_load((root / "deploy/alerts.yaml").read_text())["groups"] for rule in group["rules"]]
    alerts = {rule["alert"] for rule in rules}
    fired = set(re.findall(r'alertname="(\w+)"', (root / "tests/tools/alerts.yaml").read_text()))
    expect(alerts == fired, f"alerts that no test makes fire, or that are none: {sorted(alerts ^ fired)}")
    for rule in rules:
        annotations = rule["annotations"]
        expect(annotations.get("summary") and annotations.get("action"), f"{rule['alert']} does not say what to do")
    dashboard = json.loads((root / "deploy/dashboard.json").read_text())
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    expect(len(rules) > 10 and len(shown) > 20, f"{len(rules)} alerts and {len(shown)} queries were found")
    for query in [rule["expr"] for rule in rules] + shown:
        for name in re.findall(r"\b(?:mecelle|process)_\w+", query):
            expect(PARTS.sub("", name) in names or name in names, f"there is no {name}, which is queried: {query}")
    manual = (root / "docs/operators.md").read_text()
    for name in sorted(names):
        is_documented = name.startswith("process_") or f"`{name}`" in manual
        expect(is_documented, f"docs/operators.md does not describe {name}")
    return shown


def judge_server(prometheus, names, shown):
    prometheus.until("that Prometheus is ready", prometheus.is_ready)
    scraped = 'count_over_time(up{job="mecelle"}[1m]) >= 3'
    prometheus.until("three scrapes", lambda: prometheus.rows(scraped))

    def rules():
        return [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]

    prometheus.until("that every rule was evaluated", lambda: all(rule["health"] != "unknown" for rule in rules()))
    for rule in rules():
        expect(rule["health"] == "ok", f"{rule['name']}: {rule.get('lastError')}")
        expect(rule["state"] == "inactive", f"{rule['name']} is {rule['state']} though nothing is wrong")
    for query in shown:
        query = query.replace("$__rate_interval", "1m").replace("$instance", ".*")
        rows = prometheus.rows(query)
        expect(isinstance(rows, list), f"{query}: {rows}")
        expect(rows or any(name in query for name in RARE), f"nothing is shown by {query}")
    # Labels have few values, independent of the number of requests.
    for name in sorted(names):
        rows = prometheus.rows(f'count({{__name__=~"{name}(_bucket|_sum|_count)?"}})')
        expect(not rows or int(rows[0]["value"][1]) <= 250, f"{name} has {rows} series")


def main(url, admin, folder, port):
    for path in ("/en", "/tr", "/api/v1/health", "/nothing", "/en?email=ayse@person.example"):
        try:
            get(url + path)
        except urllib.error.HTTPError as error:
            expect(error.code == 404, f"{path}: {error}")
    post(f"{url}/agent/auth", {"type": "anonymous"})
    text = get(f"http://{admin}/metrics")
    names = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"promtool check metrics: {done.stdout}{done.stderr}")
    for secret in ("person", "/en", "127.0.0.1"):
        expect(secret not in text, f"a metric contains {secret}")
    shown = judge_files(names)
    prometheus = Prometheus(Path(folder), int(port), admin)
    try:
        judge_server(prometheus, names, shown)
    finally:
        prometheus.end()
    for finding in findings:
        print(finding)
    print(f"{len(names)} metrics, {len(shown)} queries: {len(findings)} findings")
    sys.exit(bool(findings))


main(*sys.argv[1:])
