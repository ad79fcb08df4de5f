// The icon in the tray, with show, hide and quit. A desktop may have no tray: then nothing would bring a
// hidden window back, and closing it ends the app instead.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use tauri::menu::{Menu, MenuItem};
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager};

use super::{App, AppState, quit, window};
use crate::log::say;

/// A desktop that does not even say whether it has a tray has none.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

type Deed = fn(&AppHandle);
/// Each entry: its id, its label, and what it does.
const ENTRIES: [(&str, &str, Deed); 3] = [
    ("show", "Show", window::show),
    ("hide", "Hide", window::hide),
    ("quit", "Quit", quit::begin),
];

pub fn create(app: &AppHandle, state: &AppState) {
    // The library behind it is loaded when it is first used, and panics where there is none.
    let made = catch_unwind(AssertUnwindSafe(|| build(app)));
    match made {
        Ok(Ok(())) => state.has_tray_icon.store(true, Ordering::Release),
        Ok(Err(error)) => say(&format!("hawser: there is no tray icon: {error}")),
        Err(_) => say("hawser: there is no tray icon: the library for it is missing"),
    }
}

fn build(app: &AppHandle) -> tauri::Result<()> {
    let menu = Menu::new(app)?;
    for (id, label, _) in ENTRIES {
        menu.append(&MenuItem::with_id(app, id, label, true, None::<&str>)?)?;
    }
    let mut builder = TrayIconBuilder::with_id("main")
        .tooltip("Hawser")
        .menu(&menu)
        .on_menu_event(|app, event| {
            if let Some(deed) = deed_of(event.id().as_ref()) {
                deed(app);
            }
        });
    if let Some(icon) = app.default_window_icon() {
        builder = builder.icon(icon.clone());
    }
    builder.build(app).map(|_| ())
}

fn deed_of(id: &str) -> Option<Deed> {
    let found = ENTRIES.into_iter().find(|(known, _, _)| *known == id);
    found.map(|(_, _, deed)| deed)
}

/// Whether the user can see the icon, as far as can be known. May take a moment.
pub fn is_visible(app: &AppHandle) -> bool {
    let has_icon = app
        .state::<App>()
        .state
        .has_tray_icon
        .load(Ordering::Acquire);
    let (answer, answers) = channel();
    thread::spawn(move || answer.send(has_host()));
    has_icon && answers.recv_timeout(ANSWER_LIMIT).unwrap_or(false)
}

/// An icon can always be made; somebody must show it.
#[cfg(target_os = "linux")]
fn has_host() -> bool {
    let ask = || -> zbus::Result<bool> {
        let bus = zbus::blocking::Connection::session()?;
        let names = zbus::blocking::fdo::DBusProxy::new(&bus)?;
        Ok(names.name_has_owner("org.kde.StatusNotifierWatcher".try_into()?)?)
    };
    ask().unwrap_or(false)
}

#[cfg(not(target_os = "linux"))]
fn has_host() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_does_what_it_says_and_nothing_else_does_anything() {
        let is = |id: &str, deed: Deed| {
            deed_of(id).is_some_and(|found| std::ptr::fn_addr_eq(found, deed))
        };
        assert!(is("show", window::show));
        assert!(is("hide", window::hide));
        assert!(is("quit", quit::begin));
        assert!(deed_of("").is_none() && deed_of("other").is_none());
    }
}
