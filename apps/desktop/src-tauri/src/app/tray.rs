// The icon in the tray, with show, hide and quit. A desktop may have no tray: then nothing would bring a
// hidden window back, and closing it ends the app instead.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use tauri::AppHandle;
use tauri::menu::{Menu, MenuItem};
use tauri::tray::TrayIconBuilder;

use super::{quit, window};
use crate::log::say;

static HAS_ICON: AtomicBool = AtomicBool::new(false);

pub fn create(app: &AppHandle) {
    // The library behind it is loaded when it is first used, and panics where there is none.
    let made = catch_unwind(AssertUnwindSafe(|| build(app)));
    match made {
        Ok(Ok(())) => HAS_ICON.store(true, Ordering::Release),
        Ok(Err(error)) => say(&format!("hawser: there is no tray icon: {error}")),
        Err(_) => say("hawser: there is no tray icon: the library for it is missing"),
    }
}

fn build(app: &AppHandle) -> tauri::Result<()> {
    let show = MenuItem::with_id(app, "show", "Show", true, None::<&str>)?;
    let hide = MenuItem::with_id(app, "hide", "Hide", true, None::<&str>)?;
    let quit = MenuItem::with_id(app, "quit", "Quit", true, None::<&str>)?;
    let menu = Menu::with_items(app, &[&show, &hide, &quit])?;
    let mut builder = TrayIconBuilder::with_id("main")
        .tooltip("Hawser")
        .menu(&menu)
        .on_menu_event(|app, event| match event.id().as_ref() {
            "show" => window::show(app),
            "hide" => window::hide(app),
            _ => quit::begin(app),
        });
    if let Some(icon) = app.default_window_icon() {
        builder = builder.icon(icon.clone());
    }
    builder.build(app).map(|_| ())
}

/// Whether the user can see the icon, as far as can be known.
pub fn is_visible() -> bool {
    HAS_ICON.load(Ordering::Acquire) && has_host()
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
