# Definitions of jq that the library lacks.
def @csv: [.[] | if type == "string" then "\"" + gsub("\""; "\"\"") + "\"" elif . == null then "" else tostring end] | join(",");
def @tsv: [.[] | if type == "string" then gsub("\\\\"; "\\\\") | gsub("\t"; "\\t") | gsub("\r"; "\\r") | gsub("\n"; "\\n") elif . == null then "" else tostring end] | join("\t");
def halt_error($code): last_words, halt($code);
def halt_error: halt_error(5);
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] = $row);
def INDEX(f): INDEX(.[]; f);
