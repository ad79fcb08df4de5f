// Lines to a child that may not read them. A thread of its own writes, with a flush after every line; whoever
// sends never waits. What has not been written yet is bounded in number and in bytes: beyond it a line is
// refused. Dropping the writer closes the child's input once everything before has been written.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use serde::Serialize;

use super::limits::Limits;

/// Why a line was not taken: a code as in the rest of Hawser, and a sentence.
#[derive(Debug, Serialize)]
pub struct Refusal {
    pub code: &'static str,
    pub message: String,
}

impl Refusal {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }
}

pub struct LineWriter {
    queue: SyncSender<String>,
    waiting_bytes: Arc<AtomicUsize>,
    limits: Limits,
}

impl LineWriter {
    pub fn start(output: impl Write + Send + 'static, limits: &Limits) -> Self {
        let (queue, lines) = sync_channel(limits.waiting_lines);
        let waiting_bytes = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&waiting_bytes);
        thread::spawn(move || write_all(output, lines, &written));
        Self {
            queue,
            waiting_bytes,
            limits: limits.clone(),
        }
    }

    /// Takes one line without its line feed, or says why not.
    pub fn send(&self, line: &str) -> Result<(), Refusal> {
        if line.contains('\n') {
            return Err(Refusal::new("usage", "a request must be one line"));
        }
        if line.len() > self.limits.line_bytes {
            let max = self.limits.line_bytes;
            let message = format!("the request is longer than {max} bytes");
            return Err(Refusal::new("too_large", message));
        }
        let before = self.waiting_bytes.fetch_add(line.len(), Ordering::AcqRel);
        let sent = if before + line.len() > self.limits.waiting_bytes {
            Err(does_not_read())
        } else {
            self.queue
                .try_send(format!("{line}\n"))
                .map_err(|error| match error {
                    TrySendError::Full(_) => does_not_read(),
                    TrySendError::Disconnected(_) => {
                        Refusal::new("connection_lost", "the agent takes no more requests")
                    }
                })
        };
        if sent.is_err() {
            self.waiting_bytes.fetch_sub(line.len(), Ordering::AcqRel);
        }
        sent
    }
}

fn does_not_read() -> Refusal {
    let message = "the agent does not read what it is sent, and too much waits for it already; try again later";
    Refusal::new("overloaded", message)
}

fn write_all(mut output: impl Write, lines: Receiver<String>, waiting_bytes: &AtomicUsize) {
    for line in lines {
        if output
            .write_all(line.as_bytes())
            .and_then(|()| output.flush())
            .is_err()
        {
            // The reader has gone; that it has is seen where its end is.
            return;
        }
        waiting_bytes.fetch_sub(line.len() - 1, Ordering::AcqRel);
    }
}
