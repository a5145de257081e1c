//! The way from the heading or article down to a clause, from which its level and its anchor follow.
//!
//! A mark that counts on from a step takes its place, and so does one of the same kind; a mark of a new kind goes below.
//! A mark that repeats the numbers around it, `1.2.`, replaces the whole path in the anchor.

use super::marks::{Mark, MarkReading};

/// Most steps of a path.
const MAX_STEPS: usize = 8;

/// The enclosing clauses of the next line, outermost first.
#[derive(Debug, Default)]
pub(super) struct Path {
    steps: Vec<PathStep>,
}

#[derive(Debug)]
enum PathStep {
    Clause {
        /// The ways to understand its last mark.
        readings: Vec<MarkReading>,
        numbers: Vec<u32>,
        address: ClauseAddress,
    },
    /// Text that belongs to no clause. Clauses below begin anew; those above may be counted on.
    Prose,
}

/// The part of an anchor behind that of the article or heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClauseAddress {
    /// `2.b.1`
    pub(super) labels: String,
    /// It begins with a number that repeats that of an article: `5.2` below `Madde 5`.
    pub(super) is_whole: bool,
}

#[derive(Debug)]
pub(super) struct EnteredClause {
    /// 0 for the outermost.
    pub(super) level: usize,
    pub(super) address: ClauseAddress,
}

impl Path {
    /// Leaves all clauses.
    pub(super) fn clear(&mut self) {
        self.steps.clear();
    }

    /// Passes text that belongs to no clause.
    pub(super) fn pass_prose(&mut self) {
        if self.is_in_clause() {
            if self.steps.len() == MAX_STEPS {
                self.steps.remove(0);
            }
            self.steps.push(PathStep::Prose);
        }
    }

    /// Returns whether the text before the next line is that of a clause.
    pub(super) fn is_in_clause(&self) -> bool {
        matches!(self.steps.last(), Some(PathStep::Clause { .. }))
    }

    /// Returns the level of the last clause.
    pub(super) fn level(&self) -> usize {
        self.level_at(self.steps.len().saturating_sub(1))
    }

    /// Returns whether a mark counts on from one of the clauses.
    pub(super) fn is_continued_by(&self, mark: &Mark) -> bool {
        self.successor_of(mark).is_some()
    }

    /// Returns whether a mark counts on from the last clause, or from one in it.
    pub(super) fn is_last_continued_by(&self, mark: &Mark) -> bool {
        self.successor_of(mark).is_some_and(|at| at + 1 == self.steps.len())
    }

    /// Returns to the clause of a number that is repeated before a letter: `5.2.a)` below `5.2.`.
    pub(super) fn return_to(&mut self, mark: &Mark) -> bool {
        let is_same = |step: &PathStep| matches!(step, PathStep::Clause { numbers, .. } if *numbers == mark.numbers);
        let at = self.steps.iter().rposition(is_same).filter(|_| mark.is_whole());
        if let Some(at) = at {
            self.steps.truncate(at + 1);
        }
        at.is_some()
    }

    /// Enters the clause of a mark. Where the line above announces it, a mark that is not the first goes below, too.
    pub(super) fn enter(&mut self, mark: &Mark, is_announced: bool) -> EnteredClause {
        let (at, readings) = self.position(mark, is_announced);
        let at = at.min(MAX_STEPS - 1);
        self.steps.truncate(at);
        let above = match self.steps.last() {
            Some(PathStep::Clause { address, numbers, .. }) => Some((address, numbers)),
            _ => None,
        };
        let address = match above {
            Some((above, numbers)) if mark.is_whole() && mark.numbers.starts_with(numbers) && !numbers.is_empty() => {
                let rest: Vec<String> = mark.numbers[numbers.len()..].iter().map(u32::to_string).collect();
                ClauseAddress { labels: format!("{}.{}", above.labels, rest.join(".")), ..*above }
            }
            Some((above, _)) if !mark.is_whole() => {
                ClauseAddress { labels: format!("{}.{}", above.labels, mark.label), ..*above }
            }
            _ => ClauseAddress { labels: mark.label.clone(), is_whole: mark.is_whole() },
        };
        self.steps.push(PathStep::Clause { readings, numbers: mark.numbers.clone(), address: address.clone() });
        EnteredClause { level: self.level_at(at), address }
    }

    /// Returns the index of the step that a mark takes, and the readings that fit there.
    fn position(&self, mark: &Mark, is_announced: bool) -> (usize, Vec<MarkReading>) {
        let fitting = |is_fitting: &dyn Fn(&MarkReading) -> bool| -> Vec<MarkReading> {
            mark.readings.iter().filter(|reading| is_fitting(reading)).copied().collect()
        };
        if mark.is_whole() {
            return (self.position_of_whole(mark).unwrap_or(self.steps.len()), mark.readings.clone());
        }
        if let Some(at) = self.successor_of(mark) {
            let next = fitting(&|reading| reading.succeeds(self.readings(at)));
            return (at, if next.is_empty() { mark.readings.clone() } else { next });
        }
        let first = fitting(&MarkReading::is_first);
        if !first.is_empty() {
            let is_begun_again = self.steps.last().is_some() && {
                let last = self.steps.len() - 1;
                first.iter().any(|reading| reading.is_like(self.readings(last)))
            };
            return (self.steps.len() - usize::from(is_begun_again), first);
        }
        let like = (0..self.steps.len())
            .rev()
            .find(|at| mark.readings.iter().any(|reading| reading.is_like(self.readings(*at))));
        match like {
            Some(at) => (at, fitting(&|reading| reading.is_like(self.readings(at)))),
            None if is_announced || mark.is_small() => (self.steps.len(), mark.readings.clone()),
            // The clauses before it are in one that is not in the text.
            None => (0, mark.readings.clone()),
        }
    }

    /// Returns the index of a number of several parts: below the number that it repeats, or in the place of the
    /// outermost other one.
    fn position_of_whole(&self, mark: &Mark) -> Option<usize> {
        let is_above = |step: &PathStep| {
            matches!(step, PathStep::Clause { numbers, .. }
                if !numbers.is_empty() && numbers.len() < mark.numbers.len() && mark.numbers.starts_with(numbers))
        };
        let is_whole = |step: &PathStep| matches!(step, PathStep::Clause { numbers, .. } if numbers.len() > 1);
        let above = self.steps.iter().rposition(is_above).map(|at| at + 1);
        above.or_else(|| self.steps.iter().position(is_whole))
    }

    /// Returns the innermost step that a mark counts on from.
    fn successor_of(&self, mark: &Mark) -> Option<usize> {
        if mark.is_whole() {
            let follows = |step: &PathStep| matches!(step, PathStep::Clause { numbers, .. } if mark.counts_on(numbers));
            return self.steps.iter().rposition(follows);
        }
        let succeeds = |at: &usize| mark.readings.iter().any(|reading| reading.succeeds(self.readings(*at)));
        // `2.` comes after `1.2.`, also without a line for `1.`.
        let follows = || {
            let is_before =
                |step: &PathStep| matches!(step, PathStep::Clause { numbers, .. } if mark.counts_on(numbers));
            self.steps.iter().any(is_before).then(|| self.first_whole()).flatten()
        };
        (0..self.steps.len()).rev().find(succeeds).or_else(follows)
    }

    fn first_whole(&self) -> Option<usize> {
        self.steps.iter().position(|step| matches!(step, PathStep::Clause { numbers, .. } if numbers.len() > 1))
    }

    fn readings(&self, at: usize) -> &[MarkReading] {
        match self.steps.get(at) {
            Some(PathStep::Clause { readings, .. }) => readings,
            _ => &[],
        }
    }

    fn level_at(&self, at: usize) -> usize {
        self.steps[..at].iter().rev().take_while(|step| matches!(step, PathStep::Clause { .. })).count()
    }
}
