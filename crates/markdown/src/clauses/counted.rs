//! The marks of a section, which show whether a mark that also occurs in prose counts a clause.

use std::collections::HashSet;

use super::{
    lines::{TextLines, TextPart},
    marks::{Mark, MarkReading},
};

/// The marks from one heading or rule to the next.
#[derive(Debug, Default)]
pub(super) struct CountedMarks {
    readings: HashSet<MarkReading>,
    /// The numbers of the heading, of articles and of clauses.
    numbers: HashSet<Vec<u32>>,
    /// Numbers next to each other, such as `1.2.` and `2.1.`.
    in_order: HashSet<Vec<u32>>,
}

impl CountedMarks {
    /// Collects the marks of the section that begins with part `start`.
    pub(super) fn of_section(lines: &TextLines, start: usize) -> Self {
        let mut marks = Self::default();
        let mut last = Vec::new();
        for (at, part) in lines.parts.iter().enumerate().skip(start) {
            match part {
                TextPart::Heading(number) if at == start => {
                    marks.add_number(number.iter().copied().collect(), &mut last);
                }
                TextPart::Rule if at == start => {}
                TextPart::Heading(_) | TextPart::Rule => break,
                TextPart::Code => {}
                TextPart::Block(range) => {
                    let begins = |at: &usize| *at == range.start || lines.is_line[*at];
                    for line in range.clone().filter(begins).filter_map(|at| lines.all[at].mark.as_ref()) {
                        if let Some(article) = &line.article {
                            marks.add_number(vec![article.number], &mut last);
                        }
                        for mark in &line.marks {
                            marks.add(mark, &mut last);
                        }
                    }
                }
            }
        }
        marks
    }

    /// Returns whether a mark counts a clause: it does not occur in prose, or another one counts on from it.
    pub(super) fn contains(&self, mark: &Mark) -> bool {
        let is_counted = |reading: &MarkReading| {
            self.readings.contains(&reading.next()) || reading.before().any(|before| self.readings.contains(&before))
        };
        let is_of_number = || {
            let above = mark.numbers.split_last().is_some_and(|(_, above)| self.numbers.contains(above));
            let below = || self.numbers.contains(&[&mark.numbers[..], &[1]].concat());
            mark.is_whole() && above || !mark.numbers.is_empty() && below() || self.in_order.contains(&mark.numbers)
        };
        mark.is_certain() || mark.readings.iter().any(is_counted) || is_of_number()
    }

    fn add(&mut self, mark: &Mark, last: &mut Vec<u32>) {
        self.readings.extend(&mark.readings);
        if mark.counts_on(last) {
            self.in_order.extend([last.clone(), mark.numbers.clone()]);
        }
        if !mark.numbers.is_empty() {
            self.add_number(mark.numbers.clone(), last);
        }
    }

    fn add_number(&mut self, number: Vec<u32>, last: &mut Vec<u32>) {
        self.numbers.insert(number.clone());
        *last = number;
    }
}
