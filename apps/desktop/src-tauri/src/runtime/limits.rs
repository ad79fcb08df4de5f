// The bounds of a runtime's life, in one place and with their reasons; those of one other part only stand with
// it. They are those of the web shell, where it has the same one; tests take smaller ones.

use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Limits {
    /// One line from or to the runtime, without its line feed; fixed by the contract.
    pub line_bytes: usize,
    /// Requests that wait for a runtime that does not read; the next one is refused.
    pub waiting_lines: usize,
    /// What those requests weigh together.
    pub waiting_bytes: usize,
    /// Time for a started runtime to say `ready`.
    pub ready: Duration,
    /// Wait before a runtime that ended is started again; doubled with each that ended lately.
    pub restart: Duration,
    /// Ends of a runtime within `crash_window` after which it is not started again.
    pub crash_entries: usize,
    /// How long an end is remembered against it.
    pub crash_window: Duration,
    /// Stopping: time after its input ended, before SIGTERM.
    pub stop_input: Duration,
    /// Stopping: time after SIGTERM, in which it finishes, cancels and answers, before SIGKILL.
    pub stop_signal: Duration,
    /// Time for the last words of a runtime that is gone to be read, while others may hold its pipes.
    pub flush: Duration,
    /// A line of the runtime's log; the rest of a longer one is left out.
    pub log_line_bytes: usize,
    /// Log that is passed on within `log_window`; the rest is counted and left out.
    pub log_bytes: usize,
    pub log_window: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_bytes: 10_485_760,
            waiting_lines: 256,
            waiting_bytes: 33_554_432,
            ready: Duration::from_secs(30),
            restart: Duration::from_millis(250),
            crash_entries: 5,
            crash_window: Duration::from_secs(180),
            stop_input: Duration::from_secs(2),
            stop_signal: Duration::from_secs(6),
            flush: Duration::from_secs(2),
            log_line_bytes: 8_192,
            log_bytes: 262_144,
            log_window: Duration::from_secs(10),
        }
    }
}
