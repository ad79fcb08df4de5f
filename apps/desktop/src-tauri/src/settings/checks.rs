// Whether settings can be used, before they are written or believed. Each refusal is one sentence that names
// what is wrong. Permission rules are the agent's to check: what it says of them when it starts is shown.

use std::path::Path;

use super::stored::{Settings, StoredSettings};

const MAX_ENTRIES: usize = 1_000;
const MAX_TEXT_CHARS: usize = 4_096;
const MAX_SHORTCUT_CHARS: usize = 1_024;

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
    if settings.shortcut.chars().count() > MAX_SHORTCUT_CHARS {
        return Err("the shortcut is too long".into());
    }
    Ok(())
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
