//! Finds Git conflicts in a file: both versions of a passage, between marker lines.
//!
//! YAML, TOML and Markdown misread these lines, so the search precedes parsing.

use std::ops::Range;

use memchr::memmem;

/// The markers of the first side, of the common ancestor, and of the end. The marker between the sides, `=======`, is
/// not searched for, since in Markdown it underlines a heading.
const OURS: &str = "<<<<<<<";
const ANCESTOR: &str = "|||||||";
const END: &str = ">>>>>>>";

/// Returns the conflicts in a Markdown text, except in closed code.
pub(super) fn in_markdown(text: &str) -> Vec<Range<usize>> {
    let found = conflicts(text);
    if found.is_empty() {
        return found;
    }
    let code_ranges: Vec<Range<usize>> = markdown::closed_code(text).collect();
    find_in_lines(text, |line| {
        let code = code_ranges.partition_point(|code| code.end <= line.start);
        code_ranges.get(code).is_some_and(|code| code.start < line.start)
    })
}

/// Returns the first marker line of each conflict in `text`. It is the end marker if only that is left.
pub fn conflicts(text: &str) -> Vec<Range<usize>> {
    let has_some = [OURS, ANCESTOR, END].iter().any(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_some());
    if has_some { find_in_lines(text, |_| false) } else { Vec::new() }
}

/// Returns whether a marker line found by [`conflicts`] is an end marker, which is then all that is left.
pub(super) fn is_end_marker(line: &str) -> bool {
    line.starts_with(END)
}

fn find_in_lines(text: &str, is_shown: impl Fn(&Range<usize>) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut is_open = false;
    let mut at = 0;
    for line in text.split('\n') {
        let range = at..at + line.len();
        at = range.end + 1;
        let Some(mark) = [OURS, ANCESTOR, END].into_iter().find(|mark| is_marker(line, mark)) else { continue };
        // Outside a conflict, seven bars are the head of a table.
        let is_head = !is_open && line.trim_end() == ANCESTOR;
        if is_head || is_shown(&range) {
            continue;
        }
        if mark == OURS || !is_open {
            found.push(range);
        }
        is_open = mark != END;
    }
    found
}

/// Returns whether a line is `mark`, alone or with the name of a version. A table row contains further bars.
fn is_marker(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark)
        .is_some_and(|name| name.is_empty() || (name.starts_with(' ') && !(mark == ANCESTOR && name.contains('|'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, found: &[Range<usize>]) -> Vec<usize> {
        found.iter().map(|line| text[..line.start].matches('\n').count() + 1).collect()
    }

    #[test]
    fn conflict_is_found_once_at_its_beginning() {
        for (text, expected) in [
            ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> d\n", &[2_usize][..]),
            ("<<<<<<<\na\n||||||| b\nc\n=======\n>>>>>>>\n\n<<<<<<< a\n=======\n>>>>>>> b", &[1, 8]),
            ("<<<<<<< a\n<<<<<<< b\n", &[1, 2]),
            ("a\n>>>>>>> b\n", &[2]),
            ("||||||| a\nb\n=======\nc\n>>>>>>> d\n", &[1]),
            ("~~~\n<<<<<<< a\nb\n", &[2]),
        ] {
            assert_eq!(lines(text, &in_markdown(text)), expected, "{text}");
        }
    }

    #[test]
    fn lines_that_resemble_markers_are_no_conflict() {
        for text in [
            "A heading\n=======\n",
            "```text\n<<<<<<< HEAD\n=======\n>>>>>>> a\n```\n",
            "||||||| a|\n|-|-|-|-|-|-|-|\n",
            "|||||||\n|-|-|-|-|-|-|\n|1|2|3|4|5|6|\n",
            "<<<<<<<< a\n >>>>>>> b\n> <<<<<<< c\n>>>>>>>d\n",
        ] {
            assert_eq!(lines(text, &in_markdown(text)), [0; 0], "{text}");
        }
        let words = "# ```\n<<<<<<< a\n# ```\n";
        assert_eq!(lines(words, &conflicts(words)), [2]);
    }
}
