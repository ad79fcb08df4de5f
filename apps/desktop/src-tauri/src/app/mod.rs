// The app around the page: window, tray, shortcut, commands and events. Everything that can be done without a
// window is done elsewhere.

mod commands;
mod events;
mod folders;
#[cfg(target_os = "linux")]
mod lost_page;
mod pace;
mod quit;
mod shortcut;
mod signals;
mod start;
mod tray;
mod window;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::runtime::supervisor::Supervisor;
use crate::settings::keys::Keys;
use crate::settings::stored::StoredSettings;
use folders::Folders;

pub use start::run;

/// What all commands share.
struct Desk {
    folders: Folders,
    keys: Keys,
    settings: Mutex<StoredSettings>,
    settings_problem: Mutex<Option<String>>,
    shortcut_problem: Mutex<Option<String>>,
    /// Every line to and from the runtime goes to stderr as well.
    shows_protocol: bool,
}

/// The desk and the runtime; two, since the runtime is started with what lies on the desk.
struct Office {
    desk: Arc<Desk>,
    supervisor: Supervisor,
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
