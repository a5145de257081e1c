"""Starts servers on the first core, and loads them from the second."""
import http.client
import os
import shutil
import signal
import socket
import subprocess
import time

from measure import HERE, cpu_seconds, memory, program

UNPRIVILEGED = 65534
BROTLI = "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so"

# nginx for static files as an experienced operator configures it; without a log, as the sidecar.
NGINX = """load_module {brotli};
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log warn;
events {{ worker_connections 4096; }}
http {{
  types {{ text/html html; application/json json; text/markdown md; }}
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  keepalive_timeout 300;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  open_file_cache max=2000 inactive=600s;
  open_file_cache_valid 60s;
  open_file_cache_min_uses 1;
  gzip_static on;
  brotli_static on;
  map $http_accept $twin {{ default ""; "~*text/markdown" ".md"; }}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    root {root};
    {location}
  }}
}}
"""
BY_ACCEPT = "location / { add_header Vary Accept; try_files $uri$twin $uri =404; }"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    def __init__(self, command, port, environment=None):
        self.port = port
        self.start = time.monotonic()
        self.process = subprocess.Popen(["taskset", "-c", "0", *command], env={**os.environ, **(environment or {})},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.started = self.wait()

    def wait(self):
        """Waits until the port answers; returns the seconds since the start."""
        while time.monotonic() - self.start < 60:
            if self.process.poll() is not None:
                raise SystemExit(f"the server ended with {self.process.returncode}: {self.process.args}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                self.get("/")
                return time.monotonic() - self.start
            except OSError:
                time.sleep(0.001)
        raise SystemExit(f"no answer from {self.process.args}")

    def get(self, path, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", path, headers=headers or {})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    def load(self, path, headers, connections, seconds, proxied=False):
        """Returns requests per second, p99 in ms, CPU µs per request, and failures. `proxied` adds the headers of a proxy."""
        command = ["taskset", "-c", "1", "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s",
                   str(HERE / "wrk_report.lua"), f"http://127.0.0.1:{self.port}{path}"]
        for name, value in headers.items():
            command += ["-H", f"{name}: {value}"]
        if proxied:
            command += ["--", "proxied"]
        before = cpu_seconds(self.process.pid)
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        used = cpu_seconds(self.process.pid) - before
        line = next(line for line in output.splitlines() if line.startswith("RESULT"))
        requests, duration, _, p99, failures = (float(value) for value in line.split("\t")[1:])
        return {"rate": requests / duration, "p99": p99 / 1e3, "cpu": used * 1e6 / requests, "failures": int(failures),
                "requests": requests}

    def memory(self, field="VmHWM"):
        return memory(self.process.pid, field)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def nginx(root, folder, by_accept=False):
    """Starts nginx for the files below `root`."""
    folder.mkdir()
    os.chmod(folder, 0o755)
    port = free_port()
    text = NGINX.format(brotli=BROTLI, folder=folder, port=port, root=root, location=BY_ACCEPT if by_accept else "")
    (folder / "nginx.conf").write_text(text)
    return Server(["nginx", "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")], port)


def sidecar(dist, folder, **more):
    """Starts the sidecar with one worker, otherwise as shipped: checks, limits and metrics on; `more` are further settings."""
    folder.mkdir()
    port = free_port()
    clean = {name: "" for name in os.environ if name.startswith("MECELLE_")}
    settings = {"MECELLE_LISTEN": f"127.0.0.1:{port}", "MECELLE_DIST": str(dist), "MECELLE_WORKERS": "1",
                "MECELLE_LOG_LEVEL": "warn", "MECELLE_STORE": f"sqlite://{folder}/store.db",
                "MECELLE_SECRET_FILE": f"{folder}/secret", "MECELLE_MAIL": "none", **more}
    return Server([program("sidecar"), "serve"], port, {**clean, **settings})


class Postgres:
    """A separate PostgreSQL, durable as shipped, on the second core: its socket in `folder`, its data in `data`.
    Started by root, it runs as an unprivileged user, because it refuses to run as root."""

    def __init__(self, folder, data):
        if not shutil.which("postgres"):
            raise SystemExit("put PostgreSQL's programs on the path: PATH=$(pg_config --bindir):$PATH")
        drop = []
        if os.getuid() == 0:
            drop = ["setpriv", f"--reuid={UNPRIVILEGED}", f"--regid={UNPRIVILEGED}", "--clear-groups"]
        for one in (folder, data):
            one.mkdir()
            if drop:
                os.chown(one, UNPRIVILEGED, UNPRIVILEGED)
        self.folder = folder
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder}
        subprocess.run([*drop, "initdb", "--auth=trust", "--username=mecelle", "-E", "UTF8", "--locale=C", "-D", data],
                       **quiet)
        # In the foreground, so that it can be ended by its process id.
        self.process = subprocess.Popen(["taskset", "-c", "1", *drop, "postgres", "-D", data, "-k", folder, "-c",
                                         "listen_addresses="], cwd=folder, stderr=subprocess.DEVNULL)
        for _ in range(100):
            if subprocess.run(["pg_isready", "-q", "-h", folder], check=False).returncode == 0:
                return
            time.sleep(0.1)
        raise SystemExit("PostgreSQL does not start")

    def store(self):
        """Returns the value of MECELLE_STORE."""
        return f"postgres://mecelle@localhost/postgres?host={self.folder}"

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
