// The agent's configuration, as the settings have it. Written beside them, whenever a runtime is started.

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
