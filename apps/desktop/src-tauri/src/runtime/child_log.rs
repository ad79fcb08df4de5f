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
pub fn pass_on_log(log: impl Read, last: &LastSentence, limits: &Limits, print: impl FnMut(&str)) {
    let mut budget = LogBudget::new(limits, print);
    pump_lines(log, limits.log_line_bytes, |piece| {
        let line = match piece {
            Piece::Line(line) => line.to_owned(),
            Piece::Dropped { reason, head } => format!("{head} [cut: {reason}]"),
        };
        last.note(&line);
        budget.print(&line);
    });
    budget.say_left_out();
}

/// Prints as much as may be printed, and counts the rest.
pub struct LogBudget<'a, Print: FnMut(&str)> {
    limits: &'a Limits,
    write: Print,
    since: Instant,
    spent: usize,
    left_out: usize,
}

impl<'a, Print: FnMut(&str)> LogBudget<'a, Print> {
    pub fn new(limits: &'a Limits, write: Print) -> Self {
        Self {
            limits,
            write,
            since: Instant::now(),
            spent: 0,
            left_out: 0,
        }
    }

    pub fn print(&mut self, line: &str) {
        let bytes = line.len() + 1;
        if self.since.elapsed() >= self.limits.log_window {
            self.say_left_out();
            self.since = Instant::now();
            self.spent = 0;
        }
        if self.spent + bytes > self.limits.log_bytes {
            self.left_out += bytes;
        } else {
            self.spent += bytes;
            (self.write)(line);
        }
    }

    pub fn say_left_out(&mut self) {
        if self.left_out > 0 {
            let bytes = std::mem::take(&mut self.left_out);
            (self.write)(&format!("[{bytes} bytes of the agent's log were left out]"));
        }
    }
}
