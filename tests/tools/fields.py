"""Compares the schemas of `generator schema` with the findings of the generator.

    python fields.py GENERATOR REPOSITORY WORK

They are JSON Schema; they accept every valid entry; and they refuse the fields that the generator refuses, in the broken
content of the tests and in entries whose fields all have the same odd value. Exceptions are listed below. A normal run
checks a third of the broken content and of the odd values, selected by the day.
"""

import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

import yaml
from jsonschema import Draft202012Validator, FormatChecker

from extent import IS_LONG, third, third_said

GENERATOR, REPOSITORY, WORK = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
FIXTURES = REPOSITORY / "tests/fixtures"

# Codes of findings on a field of one file.
OF_FIELDS = set("""E0101 E0107 E0109 E0110 E0111 E0112 E0113 E0114 E0115 E0116 E0117 E0118 E0119 E0120 E0121 E0122 E0123 E0124 E0129
E0132 E0134 E0135 E0141 E0204 E0503 E0508 E0509 E0510""".split())

# Findings that a schema cannot have, by fixture, file and field.
BEYOND = {
    # The field or the list of offices may be in the file of the other language.
    ("missing-fields", "practice-areas/tax/en.md", "updated"),
    ("pages-of-the-firm", "pages/fees/tr.md", "updated"),
    ("offices", "contact/en.md", "offices.street"),
    # Emphasis needs a Markdown parser.
    ("values-of-front-matter", "publications/remote-work/en.md", "excerpt"),
}
# Errors of a schema that the generator does not report, by fixture, file and place.
STRICTER = {
    # A misspelt name is one finding: the required field counts as present.
    ("misspelt-required-field", "publications/tax-settlement/tr.md", "$"),
    ("name-and-value-in-one", "publications/tax-settlement/en.md", "$"),
    ("settings-fields", "site.toml", "$"),
    ("ten-mistakes-in-three-files", "publications/tax-settlement/en.md", "$"),
    # The generator does not read a file that is nested too deeply.
    ("deep-nesting", "publications/tax-settlement/en.md", "$.category"),
}
# The same for odd values: fields, values, and why a schema differs.
DIFFERENT = [
    ("updated date reviewed", r"2026-12-01[T ].*", "a moment is read as its day"),
    ("draft", r"False", "YAML has more words for true and false than the generator accepts"),
    ("slug author", r"[+].*", "a number has no sign"),
    (r"\S+", r"true|False", "a word for true or false needs quotation marks to be a text"),
    ("portrait", r"[-+]?[0-9.]+", "that there is no file of such a name, only the folder shows"),
    ("offices", r"\[\{ key: a(, city: b)? \}\]", "what an office lacks may stand in the other language's file"),
    ("directions linkedin hours reviewed", r"\[a0, .*", "more than twenty findings of a kind are counted, not shown"),
]

found = []
different = set()


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    schemas = written()
    right(schemas)
    wrong(schemas)
    odd(schemas)
    for line in found:
        print(line)
    print(f"schemas of fields: {len(found)} findings")
    return 1 if found else 0


def written():
    run("schema", "--out", WORK / "schemas")
    schemas = {}
    for file in sorted((WORK / "schemas").iterdir()):
        schema = json.loads(file.read_text())
        Draft202012Validator.check_schema(schema)
        printed = run("schema", file.stem)
        expect(printed == file.read_text(), file.name, "is not what is printed")
        schemas[file.stem] = Draft202012Validator(schema, format_checker=FormatChecker())
    expect(len(schemas) == 7, "schema --out", f"wrote {sorted(schemas)}")
    return schemas


def right(schemas):
    firm = WORK / "firm"
    run("init", firm, "--name-en", "Erguvan Law", "--name-tr", "Erguvan Hukuk", "--site-url", "https://erguvan.example")
    for schema in (firm / ".vscode/schemas").iterdir():
        expect(schema.read_bytes() == (WORK / "schemas" / schema.name).read_bytes(), schema, "is not that of `schema`")
    settings = json.loads((firm / ".vscode/settings.json").read_text())
    for schema, files in settings["yaml.schemas"].items():
        expect((firm / schema).is_file() and (any(firm.glob(files)) or "network" in files), ".vscode/settings.json", f"{schema}: {files}")
    head = (firm / "content/site.toml").read_text().splitlines()[0].removeprefix("#:schema ")
    expect((firm / "content" / head).is_file(), "site.toml", f"names {head}")
    toml_checkers(firm / "content")
    tasks(firm)
    looked = 0
    for content in [REPOSITORY / "content", FIXTURES / "firm/content", firm / "content"]:
        for file, fields, schema in entries(content, schemas):
            looked += 1
            for error in schema.iter_errors(fields):
                found.append(f"{content}/{file}: {error.json_path}: {error.message}")
    print(f"right files: {looked}")


def toml_checkers(content):
    """Editors' checkers of TOML find nothing in settings, new or of the demonstration, and find what is wrong in others."""
    new = (content / "site.toml").read_text()
    head = new.splitlines()[0]
    shown = f"{head}\n{(REPOSITORY / 'content/site.toml').read_text()}"
    misspelt = new.replace("site_url =", "site_ulr =", 1)
    word = re.sub(r"(?m)^search = .*$", 'search = "yes"', new, count=1)
    expect(new != misspelt and new != word, "site.toml", "has other lines than this judge looks for")
    programs = pathlib.Path(sys.executable).parent
    for name, command in {"taplo": ["taplo", "lint"], "tombi": ["tombi", "lint", "--offline"]}.items():
        for what, text, is_right in [
            ("that of `init`", new, True),
            ("that of the demonstration", shown, True),
            ("with a misspelt key", misspelt, False),
            ("with a word for true or false", word, False),
        ]:
            (content / "checked.toml").write_text(text)
            program = [programs / command[0], *command[1:], content / "checked.toml"]
            result = subprocess.run(program, capture_output=True, text=True, timeout=120, cwd=content)
            expect((result.returncode == 0) == is_right, f"site.toml, {what}", f"{name}: {result.stdout}{result.stderr}")
    (content / "checked.toml").unlink()


def tasks(firm):
    """The task of VS Code finds each finding in what `check` prints, in both languages."""
    matchers = json.loads((firm / ".vscode/tasks.json").read_text())["tasks"][0]["problemMatcher"]
    page = firm / "content/pages/about/index.en.md"
    text = page.read_text()
    page.write_text(text.replace("---\n", "---\nslugg: x\n", 1))
    for language in ["en", "tr"]:
        messages = run("check", "--drafts", "--all", "--lang", language, fails=True, cwd=firm)
        for matcher, letter in zip(matchers, "EW"):
            first, second = (pattern["regexp"].strip("^$") for pattern in matcher["pattern"])
            placed = re.findall(f"^{first}\n{second}$", messages, re.M)
            expect(placed and len(placed) == len(re.findall(rf"\[{letter}\d+\]", messages)), "tasks.json", f"finds {placed} in {messages}")
            expect(all((firm / file).is_file() for _, _, file, _, _ in placed), "tasks.json", f"files of {placed}")
    page.write_text(text)


def wrong(schemas):
    every = sorted(FIXTURES.glob("broken/*/content"))
    fixtures = third(every)
    print(third_said("broken sites", len(fixtures), len(every)))
    chosen = {fixture.parent.name for fixture in fixtures}
    stated = set(BEYOND) | set(STRICTER)
    for name, _, _ in stated:
        expect(any(fixture.parent.name == name for fixture in every), "stated", f"there is no broken site {name}")
    refused, unused = 0, {key for key in stated if key[0] in chosen}
    for fixture in fixtures:
        name = fixture.parent.name
        content = overlaid(fixture)
        messages = findings(content)
        for file, fields, schema in entries(fixture, schemas):
            errors = list(schema.iter_errors(fields))
            theirs = messages.get(file, {})
            for field, message in theirs.items():
                key = (name, file, field)
                if not any(is_about(error, field) for error in errors):
                    expect(key in BEYOND, f"{name}/{file}", f"accepted, although {message}")
                    unused.discard(key)
                else:
                    refused += 1
            for error in errors:
                if not any(is_about(error, field) for field in theirs):
                    key = (name, file, error.json_path)
                    expect(key in STRICTER, f"{name}/{file}", f"{error.json_path}: {error.message}")
                    unused.discard(key)
    for key in sorted(unused):
        found.append(f"stated, but not so: {key}")
    print(f"broken fields that are refused: {refused}")


def overlaid(fixture):
    """Returns a copy of the firm of the tests with the changes of a fixture."""
    content = WORK / "overlaid"
    shutil.rmtree(content, ignore_errors=True)
    shutil.copytree(FIXTURES / "firm/content", content)
    shutil.copytree(fixture, content, dirs_exist_ok=True)
    deleted = fixture.parent / "deleted.txt"
    for file in deleted.read_text().splitlines() if deleted.exists() else []:
        (content / file).unlink()
    return content


def findings(content):
    """Returns the refused fields with their messages, by file."""
    messages = {}
    lines = run("check", "--drafts", "--content", content, "--format", "json", fails=True).splitlines()
    for finding in (json.loads(line) for line in lines if line.startswith('{"severity":"error"')):
        message = finding["message"]
        field = re.match(r"(?:the )?(?:required |unknown )?(?:field )?`([^`]+)`", message)
        table = re.search(r"stands below the table `([^`]+)`", message)
        if finding["code"] in OF_FIELDS and field:
            file = finding["place"]["file"].removeprefix(f"{content}/")
            messages.setdefault(file, {})[f"{table[1]}.{field[1]}" if table else field[1]] = message
    return messages


def is_about(error, field):
    """Returns whether an error of a schema is about a field, named with its groups: `hours.opens`."""
    path = [part for part in error.absolute_path if isinstance(part, str)]
    parts = field.split(".")
    if error.validator in ("required", "additionalProperties"):
        return path == parts[:-1] and f"'{parts[-1]}'" in error.message
    return path[: len(parts)] == parts


# Values that every field of an entry gets, one after the other.
ODD = """word|two words|İş Hukuku|is-hukuku|-a|a--b|2024|007|1.5|-3|true|"true"|False|yes|~x|2025-02-28|2025-02-29|0205-11-02|02.11.2025|
"2025-02-28"|2026-12-01T09:00:00+03:00|2026-12-01T09:00:00Z|2026-12-01 09:00|9:00|"09:00"|24:00|Europe/Istanbul|Istanbul|50% 30%|101% 0%|
info@firm.example|ayşe@firm.example|a@b|.a@b.example|https://firm.example|http://firm.example/a?b=c#d|https://firm.example/ş|firm.example|
https://firm.example:99|ftp://firm.example|https://-a.example|https://a.example/%zz|mailto:info@firm.example|"+902125550101"|+902125550101|
"902125550101"|"+90 212 555 01 01"|"+9002125550101"|tr|en|EN|xx|tur|TR|DE|tr-TR|UK|member|correspondent|mon|portrait.svg|a/b.svg|"a**b**"|
"[a](b)"|"`a`"|"a <b> c"|"a < b > c"|"a[^1]"|[]|[a, b]|[a, a]|[tr, en]|[tr, tr]|[mon, tue]|["2025"]|[1, 2]|{ a: b }|{ days: [mon] }|
{ opens: "09:00", closes: "18:00" }|{ opens: 9 }|[{ key: a }]|[{ key: a, city: b }]|[{ name: a }]|[{ key: a, colour: b }]""".replace("\n", "")
LONG = ["a" * 60, "a" * 61, "a" * 80, "a" * 81, "a" * 200, "a" * 201, "a" * 600, "a" * 601, "[" + ", ".join(f"a{n}" for n in range(21)) + "]"]


def odd(schemas):
    content, compared = WORK / "content", 0
    shutil.copytree(FIXTURES / "firm/content", content)
    places = {kind: "contact" if kind == "contact" else f"{kind}/odd-one" for kind in schemas if kind != "site"}
    every = ODD.split("|") + LONG
    values = third(every)
    print(third_said("odd values", len(values), len(every)))
    for value in values:
        for kind, place in places.items():
            lines = [f"{field}: {value}\n" for field in schemas[kind].schema["properties"]]
            (content / place).mkdir(exist_ok=True)
            (content / place / "en.md").write_text("---\n" + "".join(lines) + "---\n\nText.\n")
        messages = findings(content)
        for kind, place in places.items():
            schema = schemas[kind]
            theirs = {field.split(".")[0] for field in messages.get(f"{place}/en.md", {})}
            fields = front_matter((content / place / "en.md").read_text())
            ours = {error.absolute_path[0] for error in schema.iter_errors(fields) if error.absolute_path}
            for field in schema.schema["properties"]:
                compared += 1
                if (field in theirs) != (field in ours) and not is_known(field, value):
                    which = "the generator" if field in theirs else "the schema"
                    found.append(f"{kind}: only {which} refuses `{field}: {value[:40]}`")
    # A long run compares every value, so it finds obsolete exceptions.
    for _, values, why in DIFFERENT if IS_LONG else []:
        expect(values in different, "an obsolete exception", why)
    print(f"odd values compared: {compared}")


def is_known(field, value):
    for fields, values, _ in DIFFERENT:
        if any(re.fullmatch(name, field) for name in fields.split()) and re.fullmatch(values, value):
            different.add(values)
            return True
    return False


def entries(content, schemas):
    """Returns the path, the fields and the schema of each file that can be read."""
    for file in sorted(content.glob("*/*/*.md")) + sorted(content.glob("contact/*.md")):
        kind = file.relative_to(content).parts[0]
        try:
            fields = front_matter(file.read_text())
        except (ValueError, yaml.YAMLError):
            continue
        if kind in schemas and isinstance(fields, dict):
            yield str(file.relative_to(content)), fields, schemas[kind]
    try:
        settings = tomllib.loads((content / "site.toml").read_text())
    except (OSError, tomllib.TOMLDecodeError):
        return
    yield "site.toml", plain_days(settings), schemas["site"]


def plain_days(value):
    """Returns TOML data with days as texts, as editors' programs have them."""
    match value:
        case dict():
            return {name: plain_days(of) for name, of in value.items()}
        case list():
            return [plain_days(of) for of in value]
        case datetime.date() | datetime.time():
            return value.isoformat()
        case _:
            return value


def front_matter(text):
    """Returns the fields of a text, by the core schema of YAML 1.2, which editors' programs read."""
    parts = re.match(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*$", text, re.S | re.M)
    if not parts:
        raise ValueError("no front matter")
    return value_of(yaml.compose(parts[1], Loader=yaml.SafeLoader))


def value_of(node):
    match node:
        case yaml.MappingNode():
            return {key.value: value_of(value) for key, value in node.value}
        case yaml.SequenceNode():
            return [value_of(value) for value in node.value]
        case None:
            return None
    if node.style is not None:
        return node.value
    for form, read in [
        (r"(~|null|Null|NULL|)", lambda text: None),
        (r"(true|True|TRUE|false|False|FALSE)", lambda text: text.lower() == "true"),
        (r"[-+]?[0-9]+", int),
        (r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", float),
    ]:
        if re.fullmatch(form, node.value):
            return read(node.value)
    return node.value


def run(*arguments, fails=False, cwd=WORK):
    languages = [] if "--lang" in arguments else ["--lang", "en"]
    done = subprocess.run([GENERATOR, *languages, *arguments], cwd=cwd, capture_output=True, text=True, timeout=600)
    if done.returncode and not fails:
        sys.exit(f"{arguments}: {done.stderr}")
    return done.stdout + done.stderr if fails else done.stdout


def expect(condition, where, what):
    if not condition:
        found.append(f"{where}: {what}")


if __name__ == "__main__":
    sys.exit(main())
