// The app around the page: window, tray, shortcut, commands and events. Everything that can be done without a
// window is done elsewhere.

mod commands;
mod events;
mod folder_dialog;
mod folders;
#[cfg(target_os = "linux")]
mod lost_page;
#[cfg(target_os = "linux")]
mod own_content;
mod pace;
mod quit;
mod shortcut;
mod signals;
mod start;
mod tray;
mod window;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use crate::attached_files::AttachedFiles;
use crate::runtime::supervisor::Supervisor;
use crate::settings::keys::Keys;
use crate::settings::stored::StoredSettings;
use folders::Folders;

pub use start::run;

/// What all parts of the app share.
struct AppState {
    folders: Folders,
    keys: Keys,
    attached: AttachedFiles,
    settings: Mutex<StoredSettings>,
    settings_problem: Mutex<Option<String>>,
    shortcut_problem: Mutex<Option<String>>,
    /// Every message to and from the runtime is named on stderr.
    shows_protocol: bool,
    has_tray_icon: AtomicBool,
    is_quitting: AtomicBool,
    /// The runtime is gone.
    is_stopped: AtomicBool,
}

/// The state and the runtime; two, since the runtime is started with what the state says.
struct App {
    state: Arc<AppState>,
    supervisor: Supervisor,
}
