// The shortcut that shows and hides the window from anywhere. Another program may have taken it: that is
// reported, and the app runs without. Only the window's own thread may register or release one: the library
// holds a lock while it waits for that thread.

use std::ffi::OsString;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use tauri::{AppHandle, Wry};
use tauri_plugin_global_shortcut::{Builder, GlobalShortcutExt, Shortcut, ShortcutState};

use super::{AppState, window};
use crate::locked::locked;
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
pub fn change(app: &AppHandle, state: &Arc<AppState>, shortcut: Option<Shortcut>) {
    let (done, is_done) = channel();
    let (handle, state) = (app.clone(), Arc::clone(state));
    let begun = app.run_on_main_thread(move || {
        register(&handle, &state, shortcut);
        let _ = done.send(());
    });
    if begun.is_ok() {
        let _ = is_done.recv_timeout(CHANGE_LIMIT);
    }
}

/// Instead of the one that was.
pub fn register(app: &AppHandle, state: &AppState, shortcut: Option<Shortcut>) {
    let shortcuts = app.global_shortcut();
    let _ = shortcuts.unregister_all();
    let problem = shortcut.and_then(|shortcut| {
        if let Some(problem) = desktop_problem(|name| std::env::var_os(name)) {
            return Some(problem.to_owned());
        }
        let error = shortcuts.register(shortcut).err()?;
        say(&format!("hawser: {error}"));
        Some("the shortcut can't be used: another program may have it".to_owned())
    });
    report(state, problem);
}

/// For the settings, and for whoever looks at the log.
pub fn report(state: &AppState, problem: Option<String>) {
    if let Some(problem) = &problem {
        say(&format!("hawser: {problem}"));
    }
    *locked(&state.shortcut_problem) = problem;
}

/// On Linux a shortcut is X11's; elsewhere registering one says that all is well, and nothing comes of it.
fn desktop_problem(variable: impl Fn(&str) -> Option<OsString>) -> Option<&'static str> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    if variable("XDG_SESSION_TYPE").is_some_and(|kind| kind == "wayland") {
        return Some(
            "the shortcut can't be used: on Wayland no app may listen for one; have your desktop start Hawser by a shortcut, which shows its window",
        );
    }
    let has_none = variable("DISPLAY").is_none();
    has_none.then_some("the shortcut needs X11, which this desktop does not have")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::desktop_problem;

    #[test]
    fn a_desktop_where_no_shortcut_works_is_told() {
        let with = |set: &[(&str, &str)]| {
            desktop_problem(|name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.into())
            })
        };
        assert_eq!(
            with(&[("DISPLAY", ":0"), ("XDG_SESSION_TYPE", "x11")]),
            None
        );
        assert_eq!(with(&[("DISPLAY", ":0")]), None);
        let wayland = with(&[("DISPLAY", ":0"), ("XDG_SESSION_TYPE", "wayland")]);
        assert!(wayland.unwrap().contains("on Wayland no app may listen"));
        assert!(with(&[]).unwrap().contains("needs X11"));
    }
}
