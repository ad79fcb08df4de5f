// The shortcut that shows and hides the window from anywhere. Another program may have taken it: that is
// reported, and the app runs without. Only the window's own thread may register or release one: the library
// holds a lock while it waits for that thread.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use tauri::{AppHandle, Wry};
use tauri_plugin_global_shortcut::{Builder, GlobalShortcutExt, Shortcut, ShortcutState};

use super::{Desk, locked, window};
use crate::log::say;

const CHANGE_LIMIT: Duration = Duration::from_secs(5);

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

/// Does not wait until it is done.
pub fn release(app: &AppHandle) {
    let handle = app.clone();
    let _ = app.run_on_main_thread(move || {
        let _ = handle.global_shortcut().unregister_all();
    });
}

/// For other threads: returns when it is done, or when the window's thread has more important things to do.
pub fn change(app: &AppHandle, desk: &Arc<Desk>, shortcut: Option<Shortcut>) {
    let (done, is_done) = channel();
    let (handle, desk) = (app.clone(), Arc::clone(desk));
    let begun = app.run_on_main_thread(move || {
        register(&handle, &desk, shortcut);
        let _ = done.send(());
    });
    if begun.is_ok() {
        let _ = is_done.recv_timeout(CHANGE_LIMIT);
    }
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
    report(desk, problem);
}

/// For the settings, and for whoever looks at the log.
pub fn report(desk: &Desk, problem: Option<String>) {
    if let Some(problem) = &problem {
        say(&format!("hawser: {problem}"));
    }
    *locked(&desk.shortcut_problem) = problem;
}

/// On Linux a shortcut is X11's; without it, registering one says that all is well.
fn has_x11() -> bool {
    cfg!(not(target_os = "linux")) || std::env::var_os("DISPLAY").is_some()
}
