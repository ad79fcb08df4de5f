// The shortcut that shows and hides the window from anywhere. Another program may have taken it: that is
// reported, and the app runs without.

use std::str::FromStr;

use tauri::{AppHandle, Wry};
use tauri_plugin_global_shortcut::{Builder, GlobalShortcutExt, Shortcut, ShortcutState};

use super::{Desk, locked, window};
use crate::log::say;

pub fn plugin() -> tauri::plugin::TauriPlugin<Wry> {
    let builder = Builder::new().with_handler(|app, _, event| {
        if event.state() == ShortcutState::Pressed {
            window::toggle(app);
        }
    });
    builder.build()
}

/// None for none; or the sentence that refuses it.
pub fn parse(text: &str) -> Result<Option<Shortcut>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    Shortcut::from_str(text).map(Some).map_err(|_| {
        format!(
            "{text} is no shortcut; write one such as CmdOrCtrl+Shift+Space, or nothing for none"
        )
    })
}

/// Instead of the one that was.
pub fn register(app: &AppHandle, desk: &Desk, shortcut: Option<Shortcut>) {
    let shortcuts = app.global_shortcut();
    let _ = shortcuts.unregister_all();
    let problem = shortcut.and_then(|shortcut| {
        if !has_x11() {
            return Some("the shortcut needs X11, which this desktop does not have".to_owned());
        }
        let error = shortcuts.register(shortcut).err()?;
        say(&format!("hawser: {error}"));
        Some("the shortcut can't be used: another program may have it".to_owned())
    });
    if let Some(problem) = &problem {
        say(&format!("hawser: {problem}"));
    }
    *locked(&desk.shortcut_problem) = problem;
}

/// On Linux a shortcut is X11's; without it, registering one says that all is well.
fn has_x11() -> bool {
    cfg!(not(target_os = "linux")) || std::env::var_os("DISPLAY").is_some()
}
