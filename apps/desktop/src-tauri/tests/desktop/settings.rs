// Settings: read with suspicion, and checked before they are believed.

use std::fs::{read_to_string, write};

use hawser_desktop::settings::stored::{
    Settings, StoredSettings, Theme, load_settings, parse_settings, save_settings,
};
use serde_json::{Value, json};

#[test]
fn without_a_file_the_usual_settings_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let (settings, problem) = load_settings(&folder.path().join("settings.json"));
    assert_eq!(settings, StoredSettings::default());
    assert_eq!(problem, None);
    let shown = serde_json::to_value(&settings).unwrap();
    let usual = json!({
        "roots": [], "allowedCommands": [], "permissionRules": [],
        "shortcut": "CmdOrCtrl+Shift+Space", "theme": "system"
    });
    assert_eq!(shown, usual);
}

#[test]
fn what_is_saved_is_loaded_with_what_was_written_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/settings.json");
    let settings = StoredSettings {
        page: Settings {
            model: Some("offline".into()),
            roots: vec!["/tmp".into()],
            permission_rules: vec![
                json!({"tool": "*", "match": {"path": ["a", "**"]}, "decision": "deny"}),
            ],
            theme: Theme::Dark,
            ..Settings::default()
        },
        alias_event: true,
        node: Some("/opt/node".into()),
        arguments: vec!["--no-history".into()],
        agent: json!({"instructions": "x"}).as_object().unwrap().clone(),
        unknown: json!({"newer": {"a": 1}}).as_object().unwrap().clone(),
    };
    save_settings(&path, &settings, false).unwrap();
    assert_eq!(load_settings(&path), (settings, None));
}

#[test]
fn a_file_that_cannot_be_used_is_told_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let broken = [
        "{",
        "[]",
        r#"{"roots": "x"}"#,
        r#"{"theme": "blue"}"#,
        r#"{"roots": ["relative"]}"#,
    ];
    for text in broken {
        write(&path, text).unwrap();
        let (settings, problem) = load_settings(&path);
        assert_eq!(settings, StoredSettings::default(), "{text}");
        let problem = problem.unwrap();
        assert!(problem.contains("settings.json: "), "{problem}");
        assert!(problem.ends_with("; the usual settings are used instead"));
        assert_eq!(read_to_string(&path).unwrap(), text);
    }
    write(&path, vec![b' '; 1_048_577]).unwrap();
    assert!(
        load_settings(&path)
            .1
            .unwrap()
            .contains("is larger than 1048576 bytes")
    );
    write(&path, [0xff]).unwrap();
    assert!(load_settings(&path).1.is_some());
    write(&path, "{ my settings").unwrap();
    save_settings(&path, &StoredSettings::default(), true).unwrap();
    assert_eq!(
        read_to_string(folder.path().join("settings.json.broken")).unwrap(),
        "{ my settings"
    );
    assert_eq!(load_settings(&path), (StoredSettings::default(), None));
}

fn refusal(value: Value) -> String {
    parse_settings(value).unwrap_err()
}

#[test]
fn values_that_cannot_be_used_are_refused_with_a_sentence() {
    let cases = [
        (refusal(json!(7)), "these settings can't be used: "),
        (
            refusal(json!({"model": ""})),
            "the model: an entry is empty",
        ),
        (
            refusal(json!({"model": "a\nb"})),
            "the model: an entry is too long or not plain text",
        ),
        (
            refusal(json!({"roots": ["here"]})),
            "the folder here must begin with / or with ~/",
        ),
        (
            refusal(json!({"roots": ["/no/such/folder"]})),
            "there is no folder /no/such/folder",
        ),
        (
            refusal(json!({"allowedCommands": [" "]})),
            "allowed commands: an entry is empty",
        ),
        (
            refusal(json!({"allowedCommands": vec!["a"; 1_001]})),
            "there are more than 1000 allowed commands",
        ),
        (
            refusal(json!({"shortcut": "x".repeat(2_000)})),
            "the shortcut is too long",
        ),
        (
            refusal(json!({"theme": "blue"})),
            "these settings can't be used: unknown variant `blue`",
        ),
    ];
    for (sentence, expected) in cases {
        assert!(sentence.starts_with(expected), "{sentence}");
    }
}

#[test]
fn values_that_can_be_used_are_taken_as_they_are() {
    let given = json!({
        "model": "offline", "roots": ["/", "~/"], "allowedCommands": ["git"],
        "permissionRules": [{"tool": "run_command", "match": {"args": ["push", "**"]}, "decision": "deny"}],
        "shortcut": "", "theme": "light"
    });
    let settings = parse_settings(given.clone()).unwrap();
    assert_eq!(serde_json::to_value(settings).unwrap(), given);
}

#[test]
fn what_a_newer_app_has_written_stays_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let newer = json!({"model": "offline", "roots": [], "allowedCommands": [], "permissionRules": [],
        "shortcut": "", "theme": "dark", "voice": {"speed": 2}, "aliasEvent": true});
    write(&path, newer.to_string()).unwrap();
    let (settings, problem) = load_settings(&path);
    assert_eq!(problem, None);
    save_settings(&path, &settings, false).unwrap();
    let kept: Value = serde_json::from_str(&read_to_string(&path).unwrap()).unwrap();
    assert_eq!(kept, newer);
    // The page can't bring in anything that is not its own.
    let page = parse_settings(json!({"theme": "light", "node": "/bin/evil", "agent": {}})).unwrap();
    let text = serde_json::to_string(&page).unwrap();
    assert!(!text.contains("evil") && !text.contains("agent"), "{text}");
}

#[test]
fn what_was_set_aside_before_is_not_lost_either_and_nothing_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    for text in ["first", "second", "third"] {
        write(&path, text).unwrap();
        save_settings(&path, &StoredSettings::default(), true).unwrap();
    }
    let read = |name: &str| read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("settings.json.broken"), "first");
    assert_eq!(read("settings.json.broken-2"), "second");
    assert_eq!(read("settings.json.broken-3"), "third");
    // A folder that may not be written keeps what is in it, and whoever saves is told.
    let refusal = save_settings(
        std::path::Path::new("/proc/self/stat"),
        &StoredSettings::default(),
        true,
    );
    assert!(refusal.unwrap_err().contains("can't be set aside: "));
}
