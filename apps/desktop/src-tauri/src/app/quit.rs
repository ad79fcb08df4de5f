// The end of the app, from wherever it was asked for: the window goes at once, then the runtime is ended, then
// the process. Nothing is left. Whoever starts the app again meanwhile gets a new one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use tauri::{AppHandle, Manager, RunEvent};

use super::{App, shortcut, window};
use crate::latch::Latch;
use crate::log::flush;

/// A disk that hangs holds up no end; what is left then is removed at the next start.
const REMOVE_LIMIT: Duration = Duration::from_secs(2);

/// Returns at once: the window's thread may not wait for a process.
pub fn begin(app: &AppHandle) {
    let is_quitting = &app.state::<App>().state.is_quitting;
    if is_quitting.swap(true, Ordering::AcqRel) {
        return;
    }
    window::hide(app);
    let app = app.clone();
    thread::spawn(move || {
        tauri_plugin_single_instance::destroy(&app);
        shortcut::release(&app);
        let parts = app.state::<App>();
        leave_nothing(&parts);
        parts.state.is_stopped.store(true, Ordering::Release);
        app.exit(0);
    });
}

/// Neither a runtime nor what was attached for it.
pub fn leave_nothing(parts: &App) {
    parts.supervisor.stop();
    let (removed, state) = (Latch::default(), Arc::clone(&parts.state));
    let mark = removed.clone();
    thread::spawn(move || {
        state.attached.remove();
        mark.set();
    });
    removed.wait(REMOVE_LIMIT);
}

/// Whoever else ends the app (the last window, the system's menu) does so in the same way.
pub fn on_run_event(app: &AppHandle, event: RunEvent) {
    match event {
        RunEvent::ExitRequested { api, .. }
            if !app.state::<App>().state.is_stopped.load(Ordering::Acquire) =>
        {
            api.prevent_exit();
            begin(app);
        }
        RunEvent::Exit => flush(),
        _ => {}
    }
}
