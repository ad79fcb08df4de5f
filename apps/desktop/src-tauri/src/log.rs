// The app's own words, for people who started it in a terminal. Whoever says something never waits: a terminal
// may be held, and a pipe may have nobody who reads it. What does not fit is left out, counted and said.

use std::io::{Write, stderr};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::latch::Latch;

/// Holds the longest line there is, and one more of its kind.
const MAX_WAITING_BYTES: usize = 25_000_000;
/// At the end of the app.
const FLUSH_LIMIT: Duration = Duration::from_millis(500);

static LOG: LazyLock<Log> = LazyLock::new(|| Log::start(stderr()));

/// One line to stderr.
pub fn say(text: &str) {
    LOG.say(text);
}

/// Before the process ends: gives what was said a moment to be written.
pub fn flush() {
    LOG.flush();
}

enum Entry {
    Line(String),
    Mark(Latch),
}

#[derive(Default)]
struct Waiting {
    bytes: usize,
    left_out: usize,
}

struct Log {
    entries: Sender<Entry>,
    waiting: Arc<Mutex<Waiting>>,
}

impl Log {
    fn start(output: impl Write + Send + 'static) -> Self {
        let (entries, received) = channel();
        let waiting = Arc::new(Mutex::new(Waiting::default()));
        let counted = Arc::clone(&waiting);
        thread::spawn(move || write_all(output, &received, &counted));
        Self { entries, waiting }
    }

    fn say(&self, text: &str) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.bytes + text.len() > MAX_WAITING_BYTES {
            waiting.left_out += 1;
            return;
        }
        waiting.bytes += text.len();
        let _ = self.entries.send(Entry::Line(text.to_owned()));
    }

    fn flush(&self) {
        let mark = Latch::default();
        let _ = self.entries.send(Entry::Mark(mark.clone()));
        mark.wait(FLUSH_LIMIT);
    }
}

fn write_all(mut output: impl Write, entries: &Receiver<Entry>, waiting: &Mutex<Waiting>) {
    for entry in entries {
        let line = match entry {
            Entry::Line(line) => line,
            Entry::Mark(mark) => {
                mark.set();
                continue;
            }
        };
        // Nobody may be reading any more: that is no reason to fail.
        let _ = writeln!(output, "{line}");
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.bytes -= line.len();
        let left_out = std::mem::take(&mut waiting.left_out);
        drop(waiting);
        if left_out > 0 {
            let _ = writeln!(
                output,
                "[{left_out} lines were left out: nobody read them in time]"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::mpsc::SyncSender;

    use super::*;

    /// Writes when it is allowed to.
    struct Held {
        gate: Latch,
        lines: SyncSender<String>,
    }

    impl Write for Held {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.gate.wait(Duration::from_secs(60));
            let text = String::from_utf8_lossy(bytes).into_owned();
            let _ = self.lines.send(text);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn whoever_says_something_does_not_wait_for_a_reader_and_what_was_left_out_is_counted() {
        let (gate, (lines, written)) = (Latch::default(), std::sync::mpsc::sync_channel(1_000));
        let log = Log::start(Held {
            gate: gate.clone(),
            lines,
        });
        let long = "x".repeat(1_000_000);
        for _ in 0..40 {
            log.say(&long);
        }
        gate.set();
        log.flush();
        let text: String = written.try_iter().collect();
        assert_eq!(text.matches('x').count(), 25_000_000);
        assert!(text.contains("[15 lines were left out: nobody read them in time]"));
    }

    #[test]
    fn the_end_waits_for_what_was_said_but_not_for_a_reader_that_is_gone() {
        let (gate, (lines, written)) = (Latch::default(), std::sync::mpsc::sync_channel(1_000));
        let log = Log::start(Held {
            gate: gate.clone(),
            lines,
        });
        log.say("hello");
        log.flush();
        assert_eq!(written.try_iter().count(), 0);
        gate.set();
        log.flush();
        assert_eq!(written.try_iter().collect::<String>(), "hello\n");
    }
}
