// Whether settings can be used, before they are written or believed. Each refusal is one sentence that names
// what is wrong. Rules are checked as the agent checks them, which would otherwise refuse to start.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::stored::{Settings, StoredSettings};

const MAX_ENTRIES: usize = 1_000;
const MAX_TEXT_CHARS: usize = 4_096;
const MAX_PATTERN_CHARS: usize = 1_024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    tool: String,
    #[serde(default, rename = "match")]
    patterns: BTreeMap<String, Patterns>,
    #[serde(rename = "decision")]
    _decision: Decision,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Decision {
    Allow,
    Ask,
    Deny,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Patterns {
    One(String),
    Several(Vec<String>),
}

/// The file as a whole; folders may be missing today and there tomorrow.
pub fn check_stored(stored: &StoredSettings) -> Result<(), String> {
    check_texts(&stored.page)?;
    check_list("arguments", &stored.arguments)
}

/// What the user has just written: folders must be there.
pub fn check_settings(settings: &Settings) -> Result<(), String> {
    check_texts(settings)?;
    for root in &settings.roots {
        if !expand_home(root).is_dir() {
            return Err(format!("there is no folder {root}"));
        }
    }
    Ok(())
}

fn check_texts(settings: &Settings) -> Result<(), String> {
    if let Some(model) = &settings.model {
        check_text("the model", model)?;
    }
    check_list("roots", &settings.roots)?;
    if let Some(root) = settings.roots.iter().find(|root| !is_absolute(root)) {
        return Err(format!("the folder {root} must begin with / or with ~/"));
    }
    check_list("allowed commands", &settings.allowed_commands)?;
    if settings.shortcut.chars().count() > MAX_PATTERN_CHARS {
        return Err("the shortcut is too long".into());
    }
    if settings.permission_rules.len() > MAX_ENTRIES {
        return Err(format!(
            "there are more than {MAX_ENTRIES} permission rules"
        ));
    }
    for (position, rule) in settings.permission_rules.iter().enumerate() {
        let refuse = |reason: String| format!("permission rule {}: {reason}", position + 1);
        let rule = Rule::deserialize(rule).map_err(|error| refuse(error.to_string()))?;
        check_rule(&rule).map_err(refuse)?;
    }
    Ok(())
}

fn check_rule(rule: &Rule) -> Result<(), String> {
    if !is_pattern(&rule.tool) {
        return Err("needs the name of a tool, or a pattern".into());
    }
    for (member, patterns) in &rule.patterns {
        let is_fine = match patterns {
            Patterns::One(pattern) => is_pattern(pattern),
            Patterns::Several(patterns) => patterns.iter().all(|pattern| is_short(pattern)),
        };
        if !is_fine {
            return Err(format!("the pattern for {member} is empty or too long"));
        }
    }
    Ok(())
}

fn is_short(pattern: &str) -> bool {
    pattern.encode_utf16().count() <= MAX_PATTERN_CHARS
}

fn is_pattern(pattern: &str) -> bool {
    !pattern.is_empty() && is_short(pattern)
}

fn check_list(name: &str, list: &[String]) -> Result<(), String> {
    if list.len() > MAX_ENTRIES {
        return Err(format!("there are more than {MAX_ENTRIES} {name}"));
    }
    list.iter().try_for_each(|text| check_text(name, text))
}

fn check_text(name: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(format!("{name}: an entry is empty"));
    }
    if text.chars().count() > MAX_TEXT_CHARS || text.chars().any(char::is_control) {
        return Err(format!("{name}: an entry is too long or not plain text"));
    }
    Ok(())
}

fn is_absolute(root: &str) -> bool {
    root.starts_with("~/") || Path::new(root).is_absolute()
}

fn expand_home(root: &str) -> std::path::PathBuf {
    match (root.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => root.into(),
    }
}
