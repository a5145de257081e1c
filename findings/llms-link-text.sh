#!/usr/bin/env bash
# CommonMark: the text of a link may hold balanced brackets. The reference parser of llms.txt raises an error then.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q llms-txt==0.0.7 || exit 1
output=$(py/bin/python -c '
from llms_txt import parse_llms_file
def links(line):
    try:
        return len(parse_llms_file(f"# Site\n\n> About\n\n## Pages\n\n{line}\n").sections["Pages"])
    except Exception as error:
        return type(error).__name__
print(links("- [Notice](https://a.example/a): b"), links("- [Notice [2026]](https://a.example/a): b"))') || exit 1
[[ $output == "1 AttributeError" ]] || { echo "$output"; exit 1; }
echo "llms-txt 0.0.7 raises AttributeError on the whole of a valid llms.txt if the text of one link has brackets"
