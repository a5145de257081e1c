//! Requests that came before, octet for octet, and what they were answered.
//!
//! Clients repeat themselves: a health check, an agent that polls a list, a browser that revalidates. What a build has for
//! a request depends on nothing but the request's octets, so a request that comes again need not be parsed and
//! negotiated again. Each worker remembers for itself, and forgets everything when it is next asked or connected to after a
//! new build.
//!
//! Knows no HTTP and no build: what may be remembered is decided where it is answered.

use std::{collections::HashMap, hash::BuildHasher as _, mem, rc::Rc};

use foldhash::fast::RandomState;

/// The most requests of one age. There are two ages, so at most twice as many are remembered.
const MOST: usize = 256;
/// How many of the latest requests are recognised when they come a second time.
const GLANCES: usize = 1024;

/// Answers to requests that came more than once, all of one edition `E` of what is asked for.
pub(crate) struct Recall<E, T> {
    of: Option<E>,
    /// What was asked for lately. When there is much of it, it becomes old.
    young: Age<T>,
    /// What was not asked for since.
    old: Age<T>,
    /// Halves of the hashes of the latest requests. Security: what comes only once is not remembered, so whoever asks for
    /// many things neither fills the memory nor pushes out what others repeat.
    glances: Box<[u32; GLANCES]>,
    hasher: RandomState,
}

type Age<T> = HashMap<Box<[u8]>, Rc<T>, RandomState>;

/// What is known of a request.
pub(crate) enum Known<T> {
    /// The answer.
    Answer(T),
    /// It came before, and its answer may be remembered.
    Again,
    /// Nothing.
    No,
}

impl<E, T> Default for Recall<E, T> {
    fn default() -> Self {
        Self {
            of: None,
            young: Age::default(),
            old: Age::default(),
            glances: Box::new([0; GLANCES]),
            hasher: RandomState::default(),
        }
    }
}

impl<E: Copy + PartialEq, T> Recall<E, T> {
    /// Returns what is known of a request of exactly these octets in `edition`.
    pub(crate) fn find(&mut self, edition: E, request: &[u8]) -> Known<Rc<T>> {
        self.enter(edition);
        if let Some(answer) = self.young.get(request) {
            return Known::Answer(Rc::clone(answer));
        }
        if let Some((request, answer)) = self.old.remove_entry(request) {
            self.keep(request, Rc::clone(&answer));
            return Known::Answer(answer);
        }
        let hash = self.hasher.hash_one(request);
        let half = (hash >> u32::BITS) as u32;
        let before = mem::replace(&mut self.glances[hash as usize % GLANCES], half);
        if before == half { Known::Again } else { Known::No }
    }

    /// Forgets whatever is not of `edition`.
    pub(crate) fn enter(&mut self, edition: E) {
        if self.of != Some(edition) {
            self.of = Some(edition);
            self.young.clear();
            self.old.clear();
        }
    }

    /// Remembers the answer of `edition` to a request, unless another edition was asked for since.
    pub(crate) fn learn(&mut self, edition: E, request: Box<[u8]>, answer: T) {
        if self.of == Some(edition) {
            self.keep(request, Rc::new(answer));
        }
    }

    fn keep(&mut self, request: Box<[u8]>, answer: Rc<T>) {
        if self.young.len() >= MOST {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(request, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for `request`, and has it answered with `answer` if it came before.
    fn ask(recall: &mut Recall<u8, u32>, edition: u8, request: &str, answer: u32) -> Option<u32> {
        match recall.find(edition, request.as_bytes()) {
            Known::Answer(known) => return Some(*known),
            Known::Again => recall.learn(edition, request.as_bytes().into(), answer),
            Known::No => {}
        }
        None
    }

    #[test]
    fn what_comes_a_third_time_is_known() {
        let (mut recall, edition) = (Recall::default(), 1);
        assert_eq!([1, 2, 3, 4].map(|time| ask(&mut recall, edition, "one", time)), [None, None, Some(2), Some(2)]);
        assert_eq!(ask(&mut recall, edition, "on", 1), None, "octet for octet");
        assert_eq!(ask(&mut recall, edition, "one ", 1), None);
    }

    #[test]
    fn another_edition_has_answers_of_its_own() {
        let (mut recall, one, other) = (Recall::default(), 1, 2);
        ask(&mut recall, one, "it", 0);
        for (edition, answer) in [(one, 1), (other, 2), (one, 3)] {
            assert_eq!(ask(&mut recall, edition, "it", answer), None);
            assert_eq!(ask(&mut recall, edition, "it", 4), Some(answer));
        }
    }

    #[test]
    fn an_answer_that_comes_late_belongs_to_nobody() {
        let (mut recall, one, other) = (Recall::default(), 1, 2);
        recall.find(one, b"it");
        recall.find(other, b"something else");
        recall.learn(one, b"it"[..].into(), 1);
        assert!(!matches!(recall.find(one, b"it"), Known::Answer(_)));
        assert!(!matches!(recall.find(other, b"it"), Known::Answer(_)));
    }

    #[test]
    fn what_is_repeated_stays_and_the_memory_is_bounded() {
        let (mut recall, edition) = (Recall::default(), 1);
        for number in 0..10 * MOST as u32 {
            let request = number.to_string();
            for _ in 0..2 {
                ask(&mut recall, edition, &request, number);
            }
            if number > 0 {
                assert_eq!(ask(&mut recall, edition, "0", 1), Some(0), "after {number} others");
            }
            assert!(recall.young.len() <= MOST && recall.old.len() <= MOST);
        }
        assert_eq!(ask(&mut recall, edition, "1", 1), None, "what nobody asks for again is forgotten");
    }

    #[test]
    fn what_comes_once_is_not_remembered() {
        let (mut recall, edition) = (Recall::default(), 1);
        for number in 0..100_000 {
            ask(&mut recall, edition, &format!("/{number}"), number);
        }
        // A hash that is found by chance is one in four thousand million.
        assert_eq!(recall.young.len() + recall.old.len(), 0);
    }
}
