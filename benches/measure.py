"""Processes and what they cost, folders and what changed in them, and tables."""
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
TICKS = os.sysconf("SC_CLK_TCK")
median = statistics.median


@dataclass
class Cost:
    cpu: float  # user and system seconds
    wall: float  # seconds
    peak: float  # megabytes of resident memory
    output: str


def program(name):
    """A release binary; RELEASE names another folder of them."""
    return str(Path(os.environ.get("RELEASE", REPOSITORY / "target" / "release")) / name)


def run(command, cwd=None):
    """Runs a program to its end; its children count, if it waited for them."""
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{output[-3000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024 / 1e6, output)


def tree(pid):
    """A process and all its descendants."""
    found = [pid]
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            found += tree(int(child))
    return found


def cpu_seconds(pid):
    """User and system time so far of a process and its descendants."""
    total = 0
    for one in tree(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def memory(pid, field):
    """Megabytes of `VmHWM` (peak) or `VmRSS` (now) of a process and its descendants."""
    total = 0
    for one in tree(pid):
        for line in Path(f"/proc/{one}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                total += int(line.split()[1])
    return total * 1024 / 1e6


def held(dist):
    """Megabytes that the sidecar holds of a build: each content that the manifest names once, compressed forms too."""
    manifest = json.loads((Path(dist) / "manifest.json").read_text())
    routes = [variant for route in manifest["routes"] + manifest["not_found"] for variant in route["variants"]]
    sizes = {}
    for variant in routes + [part["variant"] for part in manifest.get("parts", [])]:
        for form in (variant, *variant.get("encodings", {}).values()):
            sizes[form["digest"]] = form["size"]
    return sum(sizes.values()) / 1e6


def workspace(name, needed):
    """A new folder on tmpfs if that holds `needed` gigabytes, else on disk; returns it and what it stands on."""
    for parent, kind in ((Path("/dev/shm"), "tmpfs"), (HERE / "results", "disk")):
        parent.mkdir(exist_ok=True)
        if shutil.disk_usage(parent).free > needed * 1e9 or kind == "disk":
            folder = parent / f"mecelle-bench-{name}-{os.getpid()}"
            folder.mkdir()
            return folder, kind


def files(folder):
    """Path and metadata of every file of a build, without the writer's own marks (`.lock` and the like)."""
    found = {}
    for base, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") or name == ".well-known"]
        for name in names:
            if not name.startswith("."):
                path = os.path.join(base, name)
                found[os.path.relpath(path, folder)] = os.stat(path)
    return found


def touched(before, after):
    """How many files are new, gone, or were written again."""
    same = (path for path, old in before.items()
            if path in after and (old.st_mtime_ns, old.st_ino) == (after[path].st_mtime_ns, after[path].st_ino))
    return len(before.keys() | after.keys()) - sum(1 for _ in same)


def digest(folder):
    """One digest over the names and bytes of a build."""
    whole = hashlib.sha256()
    for path in sorted(files(folder)):
        whole.update(path.encode() + b"\0" + hashlib.sha256(Path(folder, path).read_bytes()).digest())
    return whole.hexdigest()


def markdown(title, head, rows):
    """A Markdown table, printed at once."""
    print(f"\n### {title}\n", flush=True)
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join([" --- "] + [" ---: "] * (len(head) - 1)) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)
