// The system's own dialog for folders, one at a time.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use tauri::{AppHandle, WebviewWindow};

use super::window;

const TITLE: &str = "Folder to work in";

/// Held while a dialog is there.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Returns when the person has chosen, or has chosen none; in a thread that may wait.
pub fn ask(app: &AppHandle) -> Result<Option<PathBuf>, String> {
    let Ok(_only_one) = ONE_AT_A_TIME.try_lock() else {
        return Err("it is there already".into());
    };
    let window = window::window(app).ok_or("there is no window")?;
    let (answer, answered) = channel();
    let parent = window.clone();
    window
        .run_on_main_thread(move || open(&parent, answer))
        .map_err(|error| error.to_string())?;
    // A dialog that goes away with the app answers nothing.
    answered.recv().map_err(|_| "it went away".into())
}

#[cfg(target_os = "linux")]
fn open(window: &WebviewWindow, answer: Sender<Option<PathBuf>>) {
    use gtk::glib::MainContext;
    use gtk::prelude::{FileChooserExt, NativeDialogExt, NativeDialogExtManual};
    use gtk::{FileChooserAction, FileChooserNative, ResponseType};

    let dialog = FileChooserNative::new(
        Some(TITLE),
        window.gtk_window().ok().as_ref(),
        FileChooserAction::SelectFolder,
        Some("Work there"),
        None,
    );
    dialog.set_modal(true);
    MainContext::default().spawn_local(async move {
        let response = dialog.run_future().await;
        let folder = dialog
            .filename()
            .filter(|_| response == ResponseType::Accept);
        let _ = answer.send(folder);
        dialog.destroy();
    });
}

#[cfg(not(target_os = "linux"))]
fn open(window: &WebviewWindow, answer: Sender<Option<PathBuf>>) {
    let dialog = rfd::AsyncFileDialog::new()
        .set_title(TITLE)
        .set_parent(window);
    let picked = dialog.pick_folder();
    tauri::async_runtime::spawn(async move {
        let folder = picked.await.map(|folder| folder.path().to_owned());
        let _ = answer.send(folder);
    });
}
