// What a child says on stderr. It is always read, so that a child which floods it is never held up. Lines are
// cut, and only so many bytes are passed on in a while; what was left out is counted and said. The last
// sentence of the program itself is kept: it is usually why the child did not start.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::limits::Limits;
use super::line_pump::{Piece, pump_lines};

/// Sentences that are meant for people begin with it.
const SENTENCE_MARK: &str = "hawser: ";

#[derive(Clone, Default)]
pub struct LastSentence(Arc<Mutex<Option<String>>>);

impl LastSentence {
    pub fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn note(&self, line: &str) {
        if let Some(sentence) = line.strip_prefix(SENTENCE_MARK) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sentence.to_owned());
        }
    }
}

/// Until the log ends.
pub fn pass_on_log(
    log: impl Read,
    last: &LastSentence,
    limits: &Limits,
    mut print: impl FnMut(&str),
) {
    let mut budget = LogBudget::new(limits);
    pump_lines(log, limits.log_line_bytes, |piece| {
        let line = match piece {
            Piece::Line(line) => line.to_owned(),
            Piece::Dropped { reason, head } => format!("{head} [cut: {reason}]"),
        };
        last.note(&line);
        budget.print(&line, &mut print);
    });
    budget.say_left_out(&mut print);
}

/// How much may still be printed.
pub struct LogBudget<'a> {
    limits: &'a Limits,
    since: Instant,
    spent: usize,
    left_out: usize,
}

impl<'a> LogBudget<'a> {
    pub fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            since: Instant::now(),
            spent: 0,
            left_out: 0,
        }
    }

    pub fn print(&mut self, line: &str, print: &mut impl FnMut(&str)) {
        let bytes = line.len() + 1;
        if self.since.elapsed() >= self.limits.log_window {
            self.say_left_out(print);
            self.since = Instant::now();
            self.spent = 0;
        }
        if self.spent + bytes > self.limits.log_bytes {
            self.left_out += bytes;
        } else {
            self.spent += bytes;
            print(line);
        }
    }

    pub fn say_left_out(&mut self, print: &mut impl FnMut(&str)) {
        if self.left_out > 0 {
            print(&format!(
                "[{} bytes of the agent's log were left out]",
                self.left_out
            ));
            self.left_out = 0;
        }
    }
}
