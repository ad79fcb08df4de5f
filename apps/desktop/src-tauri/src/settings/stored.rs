// The settings and their file. What the page shows and sets is one part of it; the rest can only be written
// by hand, since it says which programs are started. A file that can't be used is set aside, never lost.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::checks::{check_settings, check_stored};
use crate::private_file::{read_private, write_private};

pub const DEFAULT_SHORTCUT: &str = "CmdOrCtrl+Shift+Space";

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// The page's part.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub roots: Vec<String>,
    pub allowed_commands: Vec<String>,
    pub permission_rules: Vec<Value>,
    /// Empty for none.
    pub shortcut: String,
    pub theme: Theme,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            model: None,
            roots: Vec::new(),
            allowed_commands: Vec::new(),
            permission_rules: Vec::new(),
            shortcut: DEFAULT_SHORTCUT.into(),
            theme: Theme::default(),
        }
    }
}

/// All of the file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StoredSettings {
    #[serde(flatten)]
    pub page: Settings,
    /// Sends every response as the event `agent_response` too.
    #[serde(skip_serializing_if = "is_false")]
    pub alias_event: bool,
    /// The Node that runs the agent, instead of the app's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<PathBuf>,
    /// Further arguments of `hawser agent`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// What else the agent's configuration says, such as `mcpServers`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub agent: Map<String, Value>,
    /// What a newer app may have written stays in the file.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// The settings, and why they are not those of the file, if they are not.
pub fn load_settings(path: &Path) -> (StoredSettings, Option<String>) {
    match read_settings(path) {
        Ok(settings) => (settings, None),
        Err(reason) => {
            let problem = format!("{reason}; the usual settings are used instead");
            (StoredSettings::default(), Some(problem))
        }
    }
}

fn read_settings(path: &Path) -> Result<StoredSettings, String> {
    let Some(text) = read_private(path)? else {
        return Ok(StoredSettings::default());
    };
    let named = |reason: String| format!("{}: {reason}", path.display());
    let settings: StoredSettings =
        serde_json::from_str(&text).map_err(|error| named(error.to_string()))?;
    check_stored(&settings).map_err(named)?;
    Ok(settings)
}

/// What the page wants to be set, checked; or the sentence that refuses it.
pub fn parse_settings(value: Value) -> Result<Settings, String> {
    let settings: Settings = serde_json::from_value(value)
        .map_err(|error| format!("these settings can't be used: {error}"))?;
    check_settings(&settings)?;
    Ok(settings)
}

/// `keep_broken`: the file that is there could not be used, and goes beside the new one.
pub fn save_settings(
    path: &Path,
    settings: &StoredSettings,
    keep_broken: bool,
) -> Result<(), String> {
    if keep_broken && path.exists() {
        set_aside(path)?;
    }
    let text = serde_json::to_string_pretty(settings).expect("settings are plain JSON");
    write_private(path, format!("{text}\n").as_bytes())
}

/// Under a name that nothing has yet.
fn set_aside(path: &Path) -> Result<(), String> {
    let names = (1..).map(|number| match number {
        1 => path.with_extension("json.broken"),
        _ => path.with_extension(format!("json.broken-{number}")),
    });
    let free = names.into_iter().find(|name| !name.exists());
    free.map_or(Ok(()), |name| std::fs::rename(path, name))
        .map_err(|error| format!("{} can't be set aside: {error}", path.display()))
}
