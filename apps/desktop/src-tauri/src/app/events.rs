// What the page hears: every response as the event `agent_stream`, in order, and how the runtime is as
// `agent_state`. The runtime is read no faster than the page takes it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tauri::{AppHandle, Emitter};

use super::pace::Pace;
use super::{AppState, window};
use crate::locked::locked;
use crate::log::say;
use crate::runtime::protocol_log::to_log_line;
use crate::runtime::relay::{RuntimeState, Sink};
use crate::settings::agent_config::working_folders;

const STREAM_EVENT: &str = "agent_stream";
/// An older name of the same, for pages that know only that; sent when the settings say so.
const ALIAS_EVENT: &str = "agent_response";
const STATE_EVENT: &str = "agent_state";

pub struct PageEvents {
    pub app: AppHandle,
    pub state: Arc<AppState>,
    pub pace: Pace,
    /// Every response goes out under its older name too. Only the file can say so, which is read at the start.
    pub has_alias: bool,
}

/// What the page is told, besides how the runtime is.
#[derive(Clone, Serialize)]
struct StateEvent<'a> {
    #[serde(flatten)]
    state: &'a RuntimeState,
    /// The folder in which it works.
    root: String,
}

impl Sink for PageEvents {
    fn response(&self, line: &str) {
        if self.state.shows_protocol {
            say(&to_log_line("RECV", line));
        }
        self.emit_line(STREAM_EVENT, line);
        if self.has_alias {
            self.emit_line(ALIAS_EVENT, line);
        }
    }

    fn state(&self, state: &RuntimeState) {
        if let Some(message) = &state.message {
            say(&format!("hawser: {message}"));
        }
        let root = working_folders(
            &locked(&self.state.settings),
            &self.state.folders.workspace(),
        );
        if let Err(error) = self.app.emit(STATE_EVENT, StateEvent { state, root }) {
            say(&format!(
                "hawser: the window could not be told of the agent: {error}"
            ));
        }
    }

    fn notice(&self, text: &str) {
        say(text);
    }

    fn keep_pace(&self, bytes: usize) {
        self.pace
            .keep(bytes, |sign| window::ask_for_sign(&self.app, sign));
    }
}

impl PageEvents {
    fn emit_line(&self, event: &str, line: &str) {
        if let Err(error) = self.app.emit_str(event, to_expression(line)) {
            say(&format!(
                "hawser: a response did not reach the window: {error}"
            ));
        }
    }
}

/// An event's value reaches the page as an expression of its language, and every response is an object there. In a
/// literal a member `__proto__` means something else than in JSON, so such a line is parsed by the page.
fn to_expression(line: &str) -> String {
    let is_plain =
        !line.contains("__proto__") && !line.contains("\\u005f") && !line.contains("\\u005F");
    if is_plain {
        line.to_owned()
    } else {
        format!("JSON.parse({})", Value::from(line))
    }
}

#[cfg(test)]
mod tests {
    use super::to_expression;

    #[test]
    fn a_line_is_a_literal_unless_a_member_would_become_a_prototype_in_any_spelling() {
        let plain = r#"{"type":"token","token":"proto"}"#;
        assert_eq!(to_expression(plain), plain);
        assert_eq!(
            to_expression(r#"{"__proto__":{"a":1}}"#),
            r#"JSON.parse("{\"__proto__\":{\"a\":1}}")"#
        );
        for line in [
            r#"{"\u005f_proto__":1}"#,
            r#"{"_\u005Fproto__":1}"#,
            r#"{"\u005f\u005fpr\u006fto\u005f_":1}"#,
        ] {
            assert!(to_expression(line).starts_with("JSON.parse(\""), "{line}");
        }
    }
}
