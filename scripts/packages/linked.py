"""The crates that are linked into the programs: their list (CycloneDX 1.6) and licences."""

import re
import tomllib
from pathlib import Path

LICENCE_NAMES = re.compile(r"(?i)^(licen[cs]e|copying|copyright|notice|unlicense)")


class Linked:

    def __init__(self, root, graph, names):
        self.root = root
        packages = {package["id"]: package for package in graph["packages"]}
        nodes = {node["id"]: node for node in graph["resolve"]["nodes"]}
        programs = {package["id"] for package in packages.values() if package["name"] in names and package["source"] is None}
        self.needs, waiting = {}, sorted(programs)
        while waiting:
            identity = waiting.pop()
            if identity in self.needs:
                continue
            links = (dep for dep in nodes[identity]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"]))
            self.needs[identity] = sorted(dep["pkg"] for dep in links)
            waiting += self.needs[identity]
        self.packages = {identity: packages[identity] for identity in self.needs}
        self.programs = sorted(programs)
        lock = tomllib.loads((root / "Cargo.lock").read_text())["package"]
        self.digests = {(entry["name"], entry["version"]): entry.get("checksum") for entry in lock}

    def bill(self, version, created):
        product = {"type": "application", "bom-ref": "mecelle", "name": "mecelle", "version": version}
        order = sorted(self.packages, key=reference_of(self.packages))
        return {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {"timestamp": created, "component": product},
            "components": [self.component(self.packages[identity]) for identity in order],
            "dependencies": [
                {"ref": "mecelle", "dependsOn": sorted(map(reference_of(self.packages), self.programs))},
                *({"ref": reference(self.packages[identity]),
                   "dependsOn": sorted(set(map(reference_of(self.packages), self.needs[identity])))} for identity in order),
            ],
        }

    def component(self, package):
        name, version = package["name"], package["version"]
        component = {
            "type": "library",
            "bom-ref": reference(package),
            "name": name,
            "version": version,
        }
        if package["description"]:
            component["description"] = " ".join(package["description"].split())
        if digest := self.digests.get((name, version)):
            component["hashes"] = [{"alg": "SHA-256", "content": digest}]
        if package["license"]:
            # Older crates write a slash for `OR`.
            component["licenses"] = [{"expression": re.sub(r"\s*/\s*", " OR ", package["license"])}]
        if package["source"]:
            component["purl"] = f"pkg:cargo/{name}@{version}"
        return component

    def licences(self):
        """Returns the licence texts of the crates and of the theme's fonts, each text once."""
        holders = {}
        for path in sorted((self.root / "templates/assets-licences").glob("LICENSE*")):
            holders.setdefault(path.read_text(errors="replace").strip(), []).append(f"font {path.stem.partition('-')[2]}")
        for package in sorted(self.packages.values(), key=reference):
            folder = Path(package["manifest_path"]).parent
            if package["source"] is None:
                continue
            for path in sorted(path for path in folder.iterdir() if LICENCE_NAMES.match(path.name) and path.is_file()):
                text = path.read_text(errors="replace").replace("\r\n", "\n").strip()
                holders.setdefault(text, []).append(f"{package['name']} {package['version']}")
        parts = [f"{', '.join(sorted(set(names)))}\n\n{text}\n" for text, names in holders.items()]
        return f"\n{'-' * 80}\n\n".join(["Licences of the crates and fonts in these programs.\n", *parts]).encode()


def reference(package):
    return f"{package['name']}@{package['version']}"


def reference_of(packages):
    return lambda identity: reference(packages[identity])
