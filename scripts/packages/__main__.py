#!/usr/bin/env python3
"""Builds the packages in target/packages/: an archive of the three programs, a Debian package, an OCI image, the list of linked
crates (CycloneDX), and checksums. `make packages` runs it as `python3 scripts/packages`.

  scripts/packages                  Compile a release for this machine's platform and package it
  scripts/packages --target TRIPLE  Do so for another platform; Debian package and image need Linux with glibc
  scripts/packages --trial FOLDER   Strip and package compiled programs with fast compression, for tests

Equal sources give equal files: owners, times and order are fixed, and the programs contain no path of this machine.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path

from linked import Linked
from tree import Tree, packed

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ["generator", "sidecar", "mecelle"]
PACKAGES = ["mecelle-generator", "mecelle-sidecar", "mecelle-cli"]
# The oldest C library that the programs support: that of Debian 10, Ubuntu 20.04 and RHEL 8.
OLDEST_GLIBC = "2.28"
# The platform whose image and bill of materials have no platform in their names.
MAIN_TARGET = "x86_64-unknown-linux-gnu"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# The user of the image; a number, so that a runtime can check that it is not root.
USER = 65532


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--target", metavar="TRIPLE", help="Platform as a Rust target triple; default: this machine")
    options.add_argument("--trial", metavar="FOLDER", type=Path, help="Take compiled programs from this folder")
    options.add_argument("--out", metavar="FOLDER", type=Path, help="Write the packages to this folder; default: target/packages")
    options.add_argument("--glibc", metavar="VERSION", default=OLDEST_GLIBC, help=f"Oldest supported version of glibc; default: {OLDEST_GLIBC}")
    chosen = options.parse_args()
    try:
        make(chosen)
    except (Problem, OSError) as problem:
        sys.exit(f"error: {problem}")
    except subprocess.CalledProcessError as problem:
        sys.exit(f"error: `{' '.join(map(str, problem.cmd))}` failed")


class Problem(Exception):
    """An error that the operator can mend; its text is the remedy."""


def make(chosen):
    target_folder = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()
    out = (chosen.out or target_folder / "packages").resolve()
    target = chosen.target or host()
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    programs = chosen.trial or compiled(target, target_folder, chosen.glibc)
    files = {name: programs / name for name in (f"{name}{'.exe' if 'windows' in target else ''}" for name in PROGRAMS)}
    for name, path in files.items():
        if not path.is_file():
            raise Problem(f"{path} is missing; compile {name} first")
    with tempfile.TemporaryDirectory() as work:
        if chosen.trial:
            files = {name: stripped(path, Path(work) / name) for name, path in files.items()}
        if "linux-gnu" in target:
            for path in files.values():
                check_glibc(path, chosen.glibc)
        # Packages are moved into place once all of them are complete.
        made = Path(work) / "packages"
        made.mkdir()
        pack = Pack(made, version, target, files, metadata(target), quick=bool(chosen.trial))
        pack.archive()
        pack.bill_of_materials()
        if "linux-gnu" in target:
            pack.debian_package(Path(work) / "debian")
            pack.image()
        names = sorted(path.name for path in made.iterdir())
        sums = "".join(f"{sha256((made / name).read_bytes())}  {name}\n" for name in names)
        (made / "SHA256SUMS").write_text(sums)
        out.mkdir(parents=True, exist_ok=True)
        for path in made.iterdir():
            shutil.copy(path, out / path.name)
    for name in [*names, "SHA256SUMS"]:
        print(f"{(out / name).stat().st_size:>12,}  {out / name}")


# Compiling


def host():
    output = run("rustc", "-vV")
    return re.search(r"^host: (.+)$", output, re.MULTILINE)[1]


def compiled(target, target_folder, glibc):
    """Compiles the release programs for this C library, without test features; returns their folder."""
    command = ["cargo", "build"]
    wanted = target
    environment = dict(os.environ, CARGO_TARGET_DIR=str(target_folder))
    if "linux" in target:
        linker = linker_folder()
        environment["PATH"] = f"{linker}{os.pathsep}{environment['PATH']}"
        command = ["cargo", "zigbuild"]
        wanted = f"{target}.{glibc}" if "linux-gnu" in target else target
    cargo_home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    # Panic messages name source files; the paths of this machine do not belong into a package.
    remap = [f"--remap-path-prefix={ROOT}=/mecelle", f"--remap-path-prefix={cargo_home}=/cargo"]
    environment["CARGO_ENCODED_RUSTFLAGS"] = "\x1f".join(remap)
    names = [part for name in PACKAGES for part in ("-p", name)]
    subprocess.run([*command, "--release", "--locked", "--bins", "--target", wanted, *names], cwd=ROOT, env=environment, check=True)
    return target_folder / target / "release"


def linker_folder():
    """Installs the linker once, from requirements.txt; returns its folder."""
    wanted, home = Path(__file__).with_name("requirements.txt"), ROOT / ".tools/packages"
    mark = home / ".installed"
    if not mark.is_file() or mark.read_bytes() != wanted.read_bytes():
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        pip = [home / "bin/pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--require-hashes", "-r", wanted]
        subprocess.run(pip, check=True)
        shutil.copy(wanted, mark)
    return home / "bin"


def stripped(path, to):
    subprocess.run(["strip", "-o", to, path], check=True)
    return to


def check_glibc(path, newest):
    """Rejects a program that needs a newer C library than `newest`."""
    needed = {found for found in re.findall(r"\bGLIBC_([0-9.]+)", run("objdump", "-T", path))}
    beyond = sorted((version for version in needed if numbers(version) > numbers(newest)), key=numbers)
    if beyond:
        raise Problem(f"{path.name} needs glibc {beyond[-1]}; the packages promise {newest} or older")


def numbers(version):
    return tuple(map(int, version.split(".")))


def metadata(target):
    return json.loads(run("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target))


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def editor():
    """Takes the editor in the browser from npm once; the build checks its digest. Returns its path."""
    source = (ROOT / "crates/editor/src/bundle.rs").read_text()
    constant = lambda name: re.search(rf'^(?:pub )?const {name}: &str = "(.*)";$', source, re.MULTILINE)[1]
    path = ROOT / ".tools/packages" / constant("PACKAGE")
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", f"@sveltia/cms@{constant('VERSION')}"], cwd=path.parent, check=True, stdout=subprocess.DEVNULL)
    if sha256(path.read_bytes()) != constant("DIGEST"):
        raise Problem(f"{path} is not the expected package; delete it and try again")
    return path


# Packing


class Pack:
    """The programs of one version for one platform, and their packages."""

    def __init__(self, out, version, target, files, graph, quick):
        self.out, self.version, self.target, self.files, self.quick = out, version, target, files, quick
        self.linked = Linked(ROOT, graph, PACKAGES)
        self.editor = editor()
        self.time = epoch()

    def archive(self):
        """Writes the archive: programs, manual pages, completions, licences and examples."""
        name = f"mecelle-{self.version}-{self.target}"
        tree = Tree()
        for program, path in self.files.items():
            tree.add(f"{name}/bin/{program}", path.read_bytes(), 0o755)
        for path, text in self.manuals().items():
            tree.add(f"{name}/share/man/man1/{path}", text)
        for shell, path in COMPLETIONS.items():
            if text := self.output_of("completion", shell):
                tree.add(f"{name}/share/{path}", text)
        for path, text in [*self.documents().items(), *self.examples().items()]:
            tree.add(f"{name}/{path}", text)
        tree.add(f"{name}/share/mecelle/{self.editor.name}", self.editor.read_bytes())
        (self.out / f"{name}.tar.gz").write_bytes(self.compressed(tree.tar(self.time)))

    def debian_package(self, tree):
        """Writes the Debian package: the same, and the service with its settings and user."""
        architecture = ARCHITECTURES[self.target.partition("-")[0]]
        files = {f"usr/bin/{program}": (path.read_bytes(), 0o755) for program, path in self.files.items()}
        files |= {f"usr/share/man/man1/{path}.gz": (packed(text), 0o644) for path, text in self.manuals().items()}
        for shell, path in DEBIAN_COMPLETIONS.items():
            files[f"usr/share/{path}"] = (self.output_of("completion", shell), 0o644)
        documents = self.documents()
        files["usr/share/doc/mecelle/copyright"] = (documents.pop("LICENSE"), 0o644)
        files["usr/share/doc/mecelle/changelog.gz"] = (packed(documents.pop("CHANGELOG.md")), 0o644)
        files["usr/share/doc/mecelle/THIRD-PARTY.txt.gz"] = (packed(documents.pop("THIRD-PARTY.txt")), 0o644)
        for path, text in [*documents.items(), *self.examples().items()]:
            files[f"usr/share/doc/mecelle/{path}"] = (text, 0o644)
        files[f"usr/share/mecelle/{self.editor.name}"] = (self.editor.read_bytes(), 0o644)
        files["etc/mecelle/sidecar.toml"] = ((ROOT / "deploy/sidecar.toml").read_bytes(), 0o644)
        for name, changes in UNITS.items():
            files[f"usr/lib/systemd/system/{name}"] = (unit(name, changes), 0o644)
        control = (ROOT / "deploy/debian/control").read_text()
        size = sum(len(text) for text, _ in files.values()) // 1024
        for word, value in {"VERSION": self.version, "ARCHITECTURE": architecture, "SIZE": size}.items():
            control = control.replace(f"@{word}@", str(value))
        files["DEBIAN/control"] = (control.encode(), 0o644)
        files["DEBIAN/conffiles"] = (b"/etc/mecelle/sidecar.toml\n", 0o644)
        for script in ["postinst", "prerm", "postrm"]:
            files[f"DEBIAN/{script}"] = ((ROOT / "deploy/debian" / script).read_bytes(), 0o755)
        for path, (text, mode) in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(text)
            (tree / path).chmod(mode)
        for folder in [tree, *(path for path in tree.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)
        if not shutil.which("dpkg-deb"):
            raise Problem("dpkg-deb is not on the path; install the package `dpkg`")
        compression = ["-Zgzip", "-z1"] if self.quick else ["-Zxz"]
        deb = self.out / f"mecelle_{self.version}_{architecture}.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "--threads-max=1", *compression, "--build", tree, deb],
            env=dict(os.environ, SOURCE_DATE_EPOCH=str(self.time)), check=True, stdout=subprocess.DEVNULL)

    def image(self):
        """Writes an OCI image (image-spec 1.1, "image layout") as one file: the programs and the C library of this machine."""
        tree = Tree()
        for program, path in self.files.items():
            tree.add(f"usr/bin/{program}", path.read_bytes(), 0o755)
        for path in sorted({library for program in self.files.values() for library in libraries(program)}):
            tree.add(path.lstrip("/"), Path(path).read_bytes(), 0o755)
        licence = Path("/usr/share/doc/libc6/copyright")
        if licence.is_file():
            tree.add("usr/share/doc/libc6/copyright", licence.read_bytes())
        for path, text in self.documents().items():
            tree.add(f"usr/share/doc/mecelle/{path}", text)
        tree.add("etc/passwd", f"mecelle:x:{USER}:{USER}::/data:/sbin/nologin\n".encode())
        tree.add("etc/group", f"mecelle:x:{USER}:\n".encode())
        tree.add("etc/nsswitch.conf", b"hosts: files dns\n")
        tree.folder("data", 0o700, USER)
        tree.folder("srv/mecelle/dist", 0o755)
        tree.folder("tmp", 0o1777)
        layer = tree.tar(self.time)
        packed_layer = self.compressed(layer)
        labels = {
            "org.opencontainers.image.title": "mecelle",
            "org.opencontainers.image.version": self.version,
            "org.opencontainers.image.licenses": "MIT",
        }
        config = written({
            "architecture": ARCHITECTURES[self.target.partition("-")[0]],
            "os": "linux",
            "created": moment(self.time),
            "config": {
                "User": f"{USER}:{USER}",
                "Env": [
                    "PATH=/usr/bin",
                    "MECELLE_LISTEN=0.0.0.0:8080",
                    "MECELLE_ADMIN_LISTEN=0.0.0.0:8081",
                    "MECELLE_DIST=/srv/mecelle/dist",
                    "MECELLE_STORE=sqlite:///data/registrations.db",
                ],
                "Cmd": ["sidecar", "serve"],
                "WorkingDir": "/srv/mecelle",
                "ExposedPorts": {"8080/tcp": {}, "8081/tcp": {}},
                "Volumes": {"/data": {}},
                "Labels": labels,
            },
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256(layer)}"]},
            "history": [{"created": moment(self.time), "created_by": "scripts/packages"}],
        })
        kind = "application/vnd.oci.image"
        manifest = written({
            "schemaVersion": 2,
            "mediaType": f"{kind}.manifest.v1+json",
            "config": descriptor(f"{kind}.config.v1+json", config),
            "layers": [descriptor(f"{kind}.layer.v1.tar+gzip", packed_layer)],
            "annotations": labels,
        })
        names = {"org.opencontainers.image.ref.name": self.version, "io.containerd.image.name": f"mecelle:{self.version}"}
        index = written({
            "schemaVersion": 2,
            "mediaType": f"{kind}.index.v1+json",
            "manifests": [descriptor(f"{kind}.manifest.v1+json", manifest) | {"annotations": names}],
        })
        layout = Tree()
        layout.add("oci-layout", written({"imageLayoutVersion": "1.0.0"}))
        layout.add("index.json", index)
        for blob in [config, manifest, packed_layer]:
            layout.add(f"blobs/sha256/{sha256(blob)}", blob)
        (self.out / f"mecelle-{self.version}{self.platform_suffix()}-oci.tar").write_bytes(layout.tar(self.time))

    def bill_of_materials(self):
        """Writes the bill of materials (CycloneDX 1.6), without a serial number, which would differ each time."""
        bill = self.linked.bill(self.version, moment(self.time))
        (self.out / f"mecelle-{self.version}{self.platform_suffix()}.cdx.json").write_bytes(written(bill))

    def platform_suffix(self):
        """Returns the suffix of files without a platform in their names: a release contains several platforms."""
        return "" if self.target == MAIN_TARGET else f"-{self.target}"

    def manuals(self):
        """Returns the manual pages of the tool and its commands, by file name."""
        text = self.output_of("man")
        if not text:
            return {}
        commands = re.findall(rb"^mecelle\\-([a-z\\-]+)\(1\)", text, re.MULTILINE)
        names = [name.replace(b"\\", b"").decode() for name in commands]
        return {"mecelle.1": text} | {f"mecelle-{name}.1": self.output_of("man", name) for name in names}

    def output_of(self, *arguments):
        """Returns the output of the tool; empty if it is built for another platform."""
        tool = next(path for name, path in self.files.items() if name.startswith("mecelle"))
        try:
            return subprocess.run([tool, *arguments], check=True, stdout=subprocess.PIPE).stdout
        except OSError:
            return b""

    def documents(self):
        texts = {name: (ROOT / name).read_bytes() for name in ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md"]}
        texts["THIRD-PARTY.txt"] = self.linked.licences()
        for path in sorted((ROOT / "docs").glob("*.md")):
            texts[f"docs/{path.name}"] = path.read_bytes()
        return texts

    def examples(self):
        paths = sorted(path for path in (ROOT / "deploy").iterdir() if path.is_file())
        return {f"examples/{path.name}": path.read_bytes() for path in paths}

    def compressed(self, text):
        return packed(text, 1 if self.quick else 9)


COMPLETIONS = {
    "bash": "bash-completion/completions/mecelle",
    "zsh": "zsh/site-functions/_mecelle",
    "fish": "fish/vendor_completions.d/mecelle.fish",
}
DEBIAN_COMPLETIONS = COMPLETIONS | {"zsh": "zsh/vendor-completions/_mecelle"}


# What the Debian package replaces in each systemd unit: programs are in /usr/bin, and the user is permanent.
USR_BIN = {"/usr/local/bin/": "/usr/bin/"}
UNITS = {
    "mecelle.service": USR_BIN | {"DynamicUser=yes": "User=mecelle"},
    "mecelle-backup.service": USR_BIN,
    "mecelle-backup.timer": {},
    "mecelle-build.service": USR_BIN,
    "mecelle-build.timer": {},
}


def unit(name, changes):
    """Returns a systemd unit as the Debian package has it."""
    text = (ROOT / "deploy" / name).read_text()
    for given, here in changes.items():
        if given not in text:
            raise Problem(f"deploy/{name} lacks `{given}`, which the Debian package replaces")
        text = text.replace(given, here)
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#")).encode()


def libraries(program):
    """Returns the paths of the C library and its loader on this machine."""
    output = run("ldd", program)
    return re.findall(r"(?:=> )?(/\S+) \(0x", output)


def descriptor(kind, blob):
    return {"mediaType": kind, "digest": f"sha256:{sha256(blob)}", "size": len(blob)}


def written(value):
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def sha256(text):
    return hashlib.sha256(text).hexdigest()


def epoch():
    """Returns the time of all packaged files: that of the last commit, so that equal sources give equal packages."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    try:
        return int(run("git", "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):
        return 0


def moment(seconds):
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


main()
