// The agent's configuration, as the settings have it. Written beside them, whenever a runtime is started.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::stored::StoredSettings;

/// Without what is not set: the agent then decides by itself.
pub fn to_agent_config(stored: &StoredSettings) -> Value {
    let page = &stored.page;
    let mut config: Map<String, Value> = stored.agent.clone();
    if let Some(model) = &page.model {
        config.insert("model".into(), json!(model));
    }
    let lists = [
        ("roots", json!(page.roots)),
        ("allowedCommands", json!(page.allowed_commands)),
        ("permissions", json!(page.permission_rules)),
    ];
    for (key, list) in lists {
        if list.as_array().is_some_and(|entries| !entries.is_empty()) {
            config.insert(key.into(), list);
        }
    }
    Value::Object(config)
}

/// Whether a running agent has to be started again to know of it.
pub fn concerns_agent(old: &StoredSettings, new: &StoredSettings) -> bool {
    to_agent_config(old) != to_agent_config(new)
        || old.node != new.node
        || old.arguments != new.arguments
}

/// Where the agent works, for people; `workspace` is where it does when nobody has said anything.
pub fn working_folders(stored: &StoredSettings, workspace: &Path) -> String {
    let config = to_agent_config(stored);
    let roots = config["roots"].as_array().into_iter().flatten();
    let roots: Vec<&str> = roots.filter_map(Value::as_str).collect();
    if roots.is_empty() {
        workspace.display().to_string()
    } else {
        roots.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::stored::{Settings, Theme};

    fn stored(value: Value) -> StoredSettings {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn settings_become_a_configuration_of_the_agent_on_top_of_what_was_written_by_hand() {
        let rule = json!({"tool": "write_file", "decision": "allow"});
        let config = to_agent_config(&stored(json!({
            "model": "offline", "roots": ["/a"], "allowedCommands": ["git"], "permissionRules": [rule],
            "agent": {"instructions": "Be brief.", "model": "other"}
        })));
        assert_eq!(
            config,
            json!({
                "model": "offline", "roots": ["/a"], "allowedCommands": ["git"], "permissions": [rule],
                "instructions": "Be brief."
            })
        );
        assert_eq!(to_agent_config(&StoredSettings::default()), json!({}));
    }

    #[test]
    fn the_agent_works_in_its_roots_or_in_a_folder_of_its_own() {
        let folders = |value| working_folders(&stored(value), Path::new("/w"));
        assert_eq!(folders(json!({})), "/w");
        assert_eq!(folders(json!({"roots": ["/a", "~/b"]})), "/a, ~/b");
        assert_eq!(folders(json!({"agent": {"roots": ["/c", 7]}})), "/c");
        assert_eq!(folders(json!({"agent": {"roots": "no list"}})), "/w");
    }

    #[test]
    fn only_what_the_agent_sees_needs_another_start() {
        let old = StoredSettings::default();
        let looks = Settings {
            theme: Theme::Dark,
            shortcut: String::new(),
            ..Settings::default()
        };
        let new = StoredSettings {
            page: looks,
            ..old.clone()
        };
        assert!(!concerns_agent(&old, &new));
        assert!(concerns_agent(&old, &stored(json!({"roots": ["/a"]}))));
    }
}
