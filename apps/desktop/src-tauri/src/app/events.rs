// What the page hears: every response as the event `agent_stream`, in order, and how the runtime is as
// `agent_state`. The runtime is read no faster than the window takes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use tauri::{AppHandle, Emitter};

use super::{Desk, locked};
use crate::log::say;
use crate::runtime::relay::{RuntimeState, Sink};

const STREAM_EVENT: &str = "agent_stream";
/// An older name of the same, for pages that know only that; sent when the settings say so.
const ALIAS_EVENT: &str = "agent_response";
const STATE_EVENT: &str = "agent_state";

/// Responses that may be on their way to the window.
const PACE: u64 = 64;
/// A window that is busy for longer than this is not waited for.
const PACE_LIMIT: Duration = Duration::from_secs(2);

pub struct PageEvents {
    pub app: AppHandle,
    pub desk: Arc<Desk>,
    pub sent: AtomicU64,
}

impl Sink for PageEvents {
    fn response(&self, line: &str) {
        if self.desk.shows_protocol {
            say(&format!("[RECV] {line}"));
        }
        self.emit_line(STREAM_EVENT, line);
        if locked(&self.desk.settings).alias_event {
            self.emit_line(ALIAS_EVENT, line);
        }
    }

    fn state(&self, state: &RuntimeState) {
        if let Some(message) = &state.message {
            say(&format!("hawser: {message}"));
        }
        if let Err(error) = self.app.emit(STATE_EVENT, state) {
            say(&format!(
                "hawser: the window could not be told of the agent: {error}"
            ));
        }
    }

    fn notice(&self, text: &str) {
        say(text);
    }

    fn keep_pace(&self) {
        if !self
            .sent
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(PACE)
        {
            return;
        }
        let (done, is_done) = channel();
        if self
            .app
            .run_on_main_thread(move || {
                let _ = done.send(());
            })
            .is_ok()
        {
            let _ = is_done.recv_timeout(PACE_LIMIT);
        }
    }
}

impl PageEvents {
    fn emit_line(&self, event: &str, line: &str) {
        let emitted = if is_safe_literal(line) {
            self.app.emit_str(event, line.to_owned())
        } else {
            self.app.emit(event, line)
        };
        if let Err(error) = emitted {
            say(&format!(
                "hawser: a response did not reach the window: {error}"
            ));
        }
    }
}

/// An event's value reaches the page as a literal of its language, where a member `__proto__` means something
/// else than in JSON. Such a line goes as a text, which the page parses.
fn is_safe_literal(line: &str) -> bool {
    !line.contains("__proto__") && !line.contains("\\u005f") && !line.contains("\\u005F")
}

#[cfg(test)]
mod tests {
    use super::is_safe_literal;

    #[test]
    fn a_member_that_would_become_a_prototype_is_seen_in_every_spelling() {
        assert!(is_safe_literal(r#"{"type":"token","token":"proto"}"#));
        for line in [
            r#"{"__proto__":{"a":1}}"#,
            r#"{"\u005f_proto__":1}"#,
            r#"{"_\u005Fproto__":1}"#,
            r#"{"\u005f\u005fpr\u006fto\u005f_":1}"#,
        ] {
            assert!(!is_safe_literal(line), "{line}");
        }
    }
}
