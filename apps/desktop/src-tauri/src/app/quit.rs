// The end of the app, from wherever it was asked for: the window goes at once, then the runtime is ended, then
// the process. Nothing is left. Whoever starts the app again meanwhile gets a new one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tauri::{AppHandle, Manager, RunEvent};

use super::{Office, shortcut, window};
use crate::log::flush;

static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// Returns at once: the window's thread may not wait for a process.
pub fn begin(app: &AppHandle) {
    if HAS_BEGUN.swap(true, Ordering::AcqRel) {
        return;
    }
    window::hide(app);
    let app = app.clone();
    thread::spawn(move || {
        tauri_plugin_single_instance::destroy(&app);
        shortcut::release(&app);
        if let Some(office) = app.try_state::<Office>() {
            office.supervisor.stop();
        }
        IS_STOPPED.store(true, Ordering::Release);
        app.exit(0);
    });
}

/// Whoever else ends the app (the last window, the system's menu) does so in the same way.
pub fn on_run_event(app: &AppHandle, event: RunEvent) {
    match event {
        RunEvent::ExitRequested { api, .. } if !IS_STOPPED.load(Ordering::Acquire) => {
            api.prevent_exit();
            begin(app);
        }
        RunEvent::Exit => flush(),
        _ => {}
    }
}
