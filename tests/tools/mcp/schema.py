"""The official schemas of the Model Context Protocol, by revision."""

import json
import pathlib

import jsonschema

NEWEST = "2026-07-28"
REVISIONS = (NEWEST, "2025-11-25", "2025-06-18", "2025-03-26")
FOLDER = pathlib.Path(__file__).parent / "schemas"


class Schema:
    """The definitions of one revision."""

    def __init__(self, revision: str):
        self.text = json.loads((FOLDER / f"{revision}.json").read_text())
        self.key = "$defs" if "$defs" in self.text else "definitions"
        self.validator = jsonschema.validators.validator_for(self.text)
        self.validators = {}

    def name(self, *names: str) -> str:
        return next(name for name in names if name in self.text[self.key])

    def faults(self, name: str, value: object) -> list[str]:
        if name not in self.validators:
            self.validators[name] = self.validator({**self.text, "$ref": f"#/{self.key}/{name}"})
        return [f"{name}: {error.json_path}: {error.message[:200]}" for error in self.validators[name].iter_errors(value)]
