//! Git conflicts in a file: both versions of a passage, between marker lines.
//!
//! YAML, TOML and Markdown read these lines as something else, or as nothing, so they are searched for before parsing.

use std::ops::Range;

use memchr::memmem;

/// The markers that begin the first side, the common ancestor of both sides, and the end. The sides are separated by
/// `=======`, which elsewhere makes a heading of the line above it.
const OURS: &str = "<<<<<<<";
const ANCESTOR: &str = "|||||||";
const END: &str = ">>>>>>>";

/// Returns the conflicts in a Markdown text, except for those that it shows in closed code.
pub(super) fn in_markdown(text: &str) -> Vec<Range<usize>> {
    let found = conflicts(text);
    if found.is_empty() {
        return found;
    }
    let shown: Vec<Range<usize>> = markdown::closed_code(text).collect();
    of_lines(text, |line| {
        let code = shown.partition_point(|code| code.end <= line.start);
        shown.get(code).is_some_and(|code| code.start < line.start)
    })
}

/// Returns the line that begins each conflict in `text`, or the line that ends it if that is all that is left of it.
pub fn conflicts(text: &str) -> Vec<Range<usize>> {
    let has_some = [OURS, ANCESTOR, END].iter().any(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_some());
    if has_some { of_lines(text, |_| false) } else { Vec::new() }
}

/// Returns whether all that is left of a conflict is the line that ends it.
pub(super) fn is_rest(line: &str) -> bool {
    line.starts_with(END)
}

fn of_lines(text: &str, is_shown: impl Fn(&Range<usize>) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut is_open = false;
    let mut at = 0;
    for line in text.split('\n') {
        let range = at..at + line.len();
        at = range.end + 1;
        let Some(mark) = [OURS, ANCESTOR, END].into_iter().find(|mark| is_mark(line, mark)) else { continue };
        // Seven bars alone can also be the head of a table.
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

/// Returns whether a line is `mark`, alone or with the name of a version. A row of a table has more bars.
fn is_mark(line: &str, mark: &str) -> bool {
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
    fn conflict_is_told_once_where_it_begins() {
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
    fn lines_that_only_look_like_a_conflict_are_left_alone() {
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
