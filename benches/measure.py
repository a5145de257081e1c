"""Measures processes and folders, and prints tables."""
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
# Stands beside each figure that misses its goal by more than 20 %; `benches/run` ends with status 1 if there is one.
MISSED = "✗"


@dataclass
class Cost:
    cpu: float  # user and system seconds
    wall: float  # seconds
    peak: float  # megabytes of resident memory
    output: str


def program(name):
    """Returns the path of a release program; RELEASE names another folder."""
    return str(Path(os.environ.get("RELEASE", REPOSITORY / "target" / "release")) / name)


def run(command, cwd=None):
    """Runs a program to its end; includes children that it waited for."""
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
    """Returns the ids of a process and all its descendants."""
    found = [pid]
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            found += tree(int(child))
    return found


def cpu_seconds(pid):
    """Returns user and system seconds so far of a process and its descendants."""
    total = 0
    for one in tree(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def memory(pid, field):
    """Returns `VmHWM` (peak) or `VmRSS` (now) of a process and its descendants, in MB."""
    total = 0
    for one in tree(pid):
        for line in Path(f"/proc/{one}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                total += int(line.split()[1])
    return total * 1024 / 1e6


def content_megabytes(dist):
    """Returns the megabytes of a build in the sidecar's memory: each distinct file of the manifest, compressed forms included."""
    manifest = json.loads((Path(dist) / "manifest.json").read_text())
    routes = [variant for route in manifest["routes"] + manifest["not_found"] for variant in route["variants"]]
    sizes = {}
    for variant in routes + [part["variant"] for part in manifest.get("parts", [])]:
        for form in (variant, *variant.get("encodings", {}).values()):
            sizes[form["digest"]] = form["size"]
    return sum(sizes.values()) / 1e6


def workspace(name, needed):
    """Creates a folder on tmpfs if that has `needed` gigabytes, else on disk; returns it and the kind of file system."""
    for parent, kind in ((Path("/dev/shm"), "tmpfs"), (HERE / "results", "disk")):
        parent.mkdir(exist_ok=True)
        if shutil.disk_usage(parent).free > needed * 1e9 or kind == "disk":
            folder = parent / f"mecelle-bench-{name}-{os.getpid()}"
            folder.mkdir()
            return folder, kind


def files(folder):
    """Returns path and metadata of every file of a build, without the generator's own files (such as `.lock`)."""
    found = {}
    for base, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") or name == ".well-known"]
        for name in names:
            if not name.startswith("."):
                path = os.path.join(base, name)
                found[os.path.relpath(path, folder)] = os.stat(path)
    return found


def count_rewritten(before, after):
    """Returns the number of files that are new, gone or rewritten."""
    same = (path for path, old in before.items()
            if path in after and (old.st_mtime_ns, old.st_ino) == (after[path].st_mtime_ns, after[path].st_ino))
    return len(before.keys() | after.keys()) - sum(1 for _ in same)


def digest(folder):
    """Returns a digest of the names and bytes of a build."""
    whole = hashlib.sha256()
    for path in sorted(files(folder)):
        whole.update(path.encode() + b"\0" + hashlib.sha256(Path(folder, path).read_bytes()).digest())
    return whole.hexdigest()


def judged(figure, goal, text, more_is_better=False):
    """Returns `text`, the figure as shown, with its goal and a mark if it misses the goal by more than 20 %."""
    is_missed = figure < goal / 1.2 if more_is_better else figure > goal * 1.2
    sign = "≥" if more_is_better else "≤"
    return f"**{text}** {MISSED} ({sign} {goal:,g})" if is_missed else f"{text} ({sign} {goal:,g})"


def markdown(title, head, rows):
    """Prints a Markdown table."""
    print(f"\n### {title}\n", flush=True)
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join([" --- "] + [" ---: "] * (len(head) - 1)) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)
