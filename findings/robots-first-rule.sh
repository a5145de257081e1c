#!/usr/bin/env bash
# RFC 9309, 2.2.2: the most specific rule of robots.txt applies, whatever the order. Two parsers of Python apply the first that matches.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q robotexclusionrulesparser==1.7.1 protego==0.7.0 setuptools || exit 1
output=$(py/bin/python -c '
from urllib.robotparser import RobotFileParser
from robotexclusionrulesparser import RobotExclusionRulesParser
from protego import Protego
rules = "User-agent: *\nAllow: /\nDisallow: /private/\n"
one, other = RobotFileParser(), RobotExclusionRulesParser()
one.parse(rules.splitlines()); other.parse(rules)
print(one.can_fetch("x", "/private/a"), other.is_allowed("x", "/private/a"), Protego.parse(rules).can_fetch("/private/a", "x"))') || exit 1
[[ $output == "True True False" ]] || { echo "$output"; exit 1; }
echo "after 'Allow: /', urllib.robotparser of $(python3 --version) and robotexclusionrulesparser 1.7.1 ignore 'Disallow: /private/'; Protego 0.7.0 does not"
