// A message in the log, for whoever looks for a mistake: its direction, its type or kind, and its id. Never what
// it says, which may be anybody's secret.

use serde::Deserialize;
use serde_json::Value;

/// A runtime may call its messages what it likes: neither a line feed nor a megabyte of that gets into the log.
const MAX_WORD_CHARS: usize = 300;

#[derive(Default, Deserialize)]
struct Names {
    #[serde(rename = "type")]
    response: Option<Value>,
    kind: Option<Value>,
    id: Option<Value>,
}

/// `[SEND] user_message 7`, or `[RECV] …`.
pub fn to_log_line(direction: &str, line: &str) -> String {
    let Names { response, kind, id } = serde_json::from_str(line).unwrap_or_default();
    let words = [response.or(kind), id].into_iter().flatten();
    let words: String = words.filter_map(|word| to_word(&word)).collect();
    format!("[{direction}]{words}")
}

fn to_word(value: &Value) -> Option<String> {
    let text: String = value.as_str()?.chars().take(MAX_WORD_CHARS).collect();
    let quoted = Value::String(text).to_string();
    Some(format!(" {}", &quoted[1..quoted.len() - 1]))
}

#[cfg(test)]
mod tests {
    use super::to_log_line;

    #[test]
    fn a_message_is_shown_by_its_names_and_never_by_what_it_says() {
        let cases = [
            (
                r#"{"type":"token","id":"7","token":"secret"}"#,
                "[RECV] token 7",
            ),
            (
                r#"{"id":"8","kind":"user_message","content":"secret"}"#,
                "[RECV] user_message 8",
            ),
            (r#"{"type":"ready","timestamp":1}"#, "[RECV] ready"),
            (r#"{"type":["secret"],"id":{"a":"secret"}}"#, "[RECV]"),
            (
                r#"{"type":"a\nb","id":"\u001b[31m"}"#,
                r"[RECV] a\nb \u001b[31m",
            ),
            ("[\"secret\"]", "[RECV]"),
            ("secret", "[RECV]"),
        ];
        for (line, expected) in cases {
            assert_eq!(to_log_line("RECV", line), expected);
        }
        let long = format!(r#"{{"type":"{}"}}"#, "ä".repeat(10_000));
        assert_eq!(
            to_log_line("SEND", &long),
            format!("[SEND] {}", "ä".repeat(300))
        );
    }
}
