// What the page may ask for. Each command runs beside the window's own thread, refuses with a sentence, and
// is named in the capability of the page. Those that may have to wait for a keychain or a disk hold up no
// other. A key goes in and never comes out.

use std::collections::BTreeMap;
use std::path::PathBuf;

use percent_encoding::percent_decode;
use serde::Serialize;
use serde_json::Value;
use tauri::async_runtime::spawn_blocking;
use tauri::ipc::{InvokeBody, Request};
use tauri::{AppHandle, Manager, State};

use super::{App, AppState, folder_dialog, quit, shortcut, window};
use crate::locked::locked;
use crate::log::say;
use crate::runtime::line_writer::Refusal;
use crate::runtime::protocol_log::to_log_line;
use crate::runtime::relay::Phase;
use crate::settings::agent_config::concerns_agent;
use crate::settings::keys::{KeySource, Vendor};
use crate::settings::stored::{Settings, StoredSettings, Theme, parse_settings, save_settings};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsView {
    settings: Settings,
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
pub fn agent_send(parts: State<'_, App>, line: &str) -> Result<(), Refusal> {
    // Before it is sent, since its answer may come at once.
    if parts.state.shows_protocol {
        say(&to_log_line("SEND", line));
    }
    parts.supervisor.relay.send(line)
}

#[tauri::command(async)]
pub fn agent_hello(parts: State<'_, App>) {
    parts.supervisor.relay.repeat();
}

/// In a thread that may wait.
async fn aside<T: Send + 'static>(
    app: AppHandle,
    work: impl FnOnce(&AppHandle, &App) -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    spawn_blocking(move || work(&app, &app.state::<App>()))
        .await
        .unwrap_or_else(|error| Err(error.to_string()))
}

#[tauri::command]
pub async fn settings_get(app: AppHandle) -> Result<SettingsView, String> {
    aside(app, |_, parts| Ok(view_settings(parts))).await
}

/// Apart from the settings: a keychain may let everybody wait.
#[tauri::command]
pub async fn keys_get(app: AppHandle) -> Result<BTreeMap<Vendor, KeySource>, String> {
    aside(app, |_, parts| Ok(parts.state.keys.sources())).await
}

fn view_settings(parts: &App) -> SettingsView {
    let folders = &parts.state.folders;
    SettingsView {
        settings: locked(&parts.state.settings).page.clone(),
        shortcut_problem: locked(&parts.state.shortcut_problem).clone(),
        settings_problem: locked(&parts.state.settings_problem).clone(),
        places: Places {
            settings_file: folders.settings_file(),
            data_folder: folders.data.clone(),
        },
    }
}

#[tauri::command]
pub async fn settings_set(app: AppHandle, settings: Value) -> Result<(), String> {
    aside(app, |app, parts| change_settings(app, parts, settings)).await
}

fn change_settings(app: &AppHandle, parts: &App, settings: Value) -> Result<(), String> {
    let page = parse_settings(settings)?;
    let wanted = shortcut::parse(&page.shortcut)?;
    let (old, new) = store(&parts.state, |settings, _| {
        settings.page = page;
        Ok(())
    })?;
    // One that could not be had may be free by now.
    let had_problem = locked(&parts.state.shortcut_problem).is_some();
    if had_problem || old.page.shortcut != new.page.shortcut {
        shortcut::change(app, &parts.state, wanted);
    }
    window::apply_theme(app, new.page.theme);
    // An agent that has failed may have failed because of its settings.
    if concerns_agent(&old, &new) || parts.supervisor.relay.phase() == Phase::Failed {
        parts.supervisor.restart();
    }
    Ok(())
}

/// The theme alone, whatever else the settings say; a file that can't be used is not replaced for it.
#[tauri::command]
pub async fn theme_set(app: AppHandle, theme: Theme) -> Result<(), String> {
    aside(app, move |app, parts| {
        window::apply_theme(app, theme);
        let stored = store(&parts.state, |settings, problem| {
            settings.page.theme = theme;
            problem.map_or(Ok(()), |problem| Err(problem.to_owned()))
        });
        stored.map(drop)
    })
    .await
}

/// The settings as they were and as they are now. `change` is told what is wrong with the file, and may refuse.
fn store(
    state: &AppState,
    change: impl FnOnce(&mut StoredSettings, Option<&str>) -> Result<(), String>,
) -> Result<(StoredSettings, StoredSettings), String> {
    let mut present = locked(&state.settings);
    let mut problem = locked(&state.settings_problem);
    let mut new = present.clone();
    change(&mut new, problem.as_deref())?;
    save_settings(&state.folders.settings_file(), &new, problem.is_some())?;
    *problem = None;
    let old = std::mem::replace(&mut *present, new.clone());
    Ok((old, new))
}

/// Answers whether the agent is started again, to know of it: a page that tests the key waits for that.
#[tauri::command]
pub async fn key_set(app: AppHandle, vendor: Vendor, key: String) -> Result<bool, String> {
    aside(app, move |_, parts| change_key(parts, vendor, &key)).await
}

fn change_key(parts: &App, vendor: Vendor, key: &str) -> Result<bool, String> {
    parts.state.keys.set(vendor, key)?;
    let has_news = parts.state.keys.has_news();
    if has_news {
        parts.supervisor.restart();
    }
    Ok(has_news)
}

/// Its bytes are the body itself, its name is in a header; the answer is the path that the runtime reads.
#[tauri::command]
pub async fn file_put(app: AppHandle, request: Request<'_>) -> Result<PathBuf, String> {
    let name = request.headers().get("x-file-name");
    let (Some(name), InvokeBody::Raw(bytes)) = (name, request.body()) else {
        return Err(
            "a file needs its name in the header x-file-name, and its bytes as the body".into(),
        );
    };
    let name = percent_decode(name.as_bytes())
        .decode_utf8_lossy()
        .into_owned();
    let bytes = bytes.clone();
    aside(app, move |_, parts| {
        parts.state.attached.keep(&name, &bytes)
    })
    .await
}

/// None when the person has chosen none.
#[tauri::command]
pub async fn folder_pick(app: AppHandle) -> Result<Option<PathBuf>, String> {
    aside(app, |app, _| folder_dialog::ask(app)).await
}

#[tauri::command(async)]
pub fn quit(app: AppHandle) {
    quit::begin(&app);
}
