// What the page may ask for. Each command runs beside the window's own thread, refuses with a sentence, and
// is named in the capability of the page. Those that may have to wait for a keychain or a disk hold up no
// other. A key goes in and never comes out.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use tauri::async_runtime::spawn_blocking;
use tauri::{AppHandle, Manager, State};

use super::{Desk, Office, locked, quit, shortcut, window};
use crate::log::say;
use crate::runtime::relay::Phase;
use crate::settings::agent_config::concerns_agent;
use crate::settings::keys::{KeySource, Vendor};
use crate::settings::stored::{Settings, StoredSettings, parse_settings, save_settings};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsView {
    settings: Settings,
    keys: BTreeMap<Vendor, KeySource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shortcut_problem: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settings_problem: Option<String>,
    #[serde(rename = "where")]
    places: Places,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Places {
    settings_file: PathBuf,
    data_folder: PathBuf,
}

#[tauri::command(async)]
pub fn agent_send(office: State<'_, Office>, line: &str) -> Result<(), String> {
    office.supervisor.relay.send(line)?;
    if office.desk.shows_protocol {
        say(&format!("[SEND] {line}"));
    }
    Ok(())
}

#[tauri::command(async)]
pub fn agent_hello(office: State<'_, Office>) {
    office.supervisor.relay.repeat();
}

/// In a thread that may wait.
async fn aside<T: Send + 'static>(
    app: AppHandle,
    work: impl FnOnce(&AppHandle, &Office) -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    spawn_blocking(move || work(&app, &app.state::<Office>()))
        .await
        .unwrap_or_else(|error| Err(error.to_string()))
}

#[tauri::command]
pub async fn settings_get(app: AppHandle) -> Result<SettingsView, String> {
    aside(app, |_, office| Ok(view_settings(office))).await
}

fn view_settings(office: &Office) -> SettingsView {
    let Desk { folders, keys, .. } = &*office.desk;
    SettingsView {
        settings: locked(&office.desk.settings).page.clone(),
        keys: keys.sources(),
        shortcut_problem: locked(&office.desk.shortcut_problem).clone(),
        settings_problem: locked(&office.desk.settings_problem).clone(),
        places: Places {
            settings_file: folders.settings_file(),
            data_folder: folders.data.clone(),
        },
    }
}

#[tauri::command]
pub async fn settings_set(app: AppHandle, settings: Value) -> Result<(), String> {
    aside(app, |app, office| change_settings(app, office, settings)).await
}

fn change_settings(app: &AppHandle, office: &Office, settings: Value) -> Result<(), String> {
    let page = parse_settings(settings)?;
    let wanted = shortcut::parse(&page.shortcut)?;
    let (old, new) = store(&office.desk, page)?;
    // One that could not be had may be free by now.
    let had_problem = locked(&office.desk.shortcut_problem).is_some();
    if had_problem || old.page.shortcut != new.page.shortcut {
        shortcut::change(app, &office.desk, wanted);
    }
    window::apply_theme(app, new.page.theme);
    // An agent that has failed may have failed because of its settings.
    if concerns_agent(&old, &new) || office.supervisor.relay.phase() == Phase::Failed {
        office.supervisor.restart();
    }
    Ok(())
}

fn store(desk: &Desk, page: Settings) -> Result<(StoredSettings, StoredSettings), String> {
    let mut present = locked(&desk.settings);
    let mut problem = locked(&desk.settings_problem);
    let old = present.clone();
    let new = StoredSettings {
        page,
        ..old.clone()
    };
    save_settings(&desk.folders.settings_file(), &new, problem.is_some())?;
    *problem = None;
    *present = new.clone();
    Ok((old, new))
}

#[tauri::command]
pub async fn key_set(app: AppHandle, vendor: Vendor, key: String) -> Result<(), String> {
    aside(app, move |_, office| change_key(office, vendor, &key)).await
}

fn change_key(office: &Office, vendor: Vendor, key: &str) -> Result<(), String> {
    let before = office.desk.keys.to_environment();
    office.desk.keys.set(vendor, key)?;
    if office.desk.keys.to_environment() != before {
        office.supervisor.restart();
    }
    Ok(())
}

#[tauri::command(async)]
pub fn quit(app: AppHandle) {
    quit::begin(&app);
}
