// The only message that the app looks into: the runtime's first one, `ready`, which names its build.

use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Deserialize)]
struct AnyMessage<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    build: Option<std::borrow::Cow<'a, str>>,
}

#[derive(Debug, PartialEq)]
pub enum Greeting {
    /// Some other message.
    None,
    Ours,
    /// The sentence that says so.
    OfAnotherBuild(String),
}

pub fn read_greeting(line: &str, our_build: &str) -> Greeting {
    let Ok(message) = serde_json::from_str::<AnyMessage>(line) else {
        return Greeting::None;
    };
    if message.kind.as_deref() != Some("ready") {
        return Greeting::None;
    }
    match message.build.as_deref() {
        Some(build) if build == our_build => Greeting::Ours,
        build => Greeting::OfAnotherBuild(format!(
            "the agent is of build {}, and this app is of build {our_build}; install both from the same release",
            build.unwrap_or("unknown")
        )),
    }
}

/// Whether a line is JSON, without making anything of it.
pub fn check_json(line: &str) -> Result<(), String> {
    serde_json::from_str::<IgnoredAny>(line)
        .map(|_| ())
        .map_err(|error| format!("the line is not valid JSON ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_ready_of_the_same_build_is_ours() {
        let ours = r#"{"type":"ready","version":"1.0.0","build":"0.1.0","timestamp":1}"#;
        assert_eq!(read_greeting(ours, "0.1.0"), Greeting::Ours);
        assert_eq!(
            read_greeting(ours, "0.2.0"),
            Greeting::OfAnotherBuild(
                "the agent is of build 0.1.0, and this app is of build 0.2.0; install both from the same release".into()
            )
        );
        let unknown = read_greeting(r#"{"type":"ready"}"#, "0.1.0");
        assert!(
            matches!(unknown, Greeting::OfAnotherBuild(text) if text.contains("build unknown"))
        );
        for other in [
            r#"{"type":"token","build":"0.1.0"}"#,
            "[]",
            "17",
            r#"{"type":7}"#,
        ] {
            assert_eq!(read_greeting(other, "0.1.0"), Greeting::None);
        }
    }

    #[test]
    fn json_is_recognised_whatever_its_depth() {
        assert!(check_json(&("[".repeat(5_000) + &"]".repeat(5_000))).is_ok());
        assert!(check_json("{\"a\":1} x").is_err());
        assert!(check_json("hello").is_err());
    }
}
