// The one window. It shows the app's own page and nothing else: links that lead out open in the browser, and
// only over https. Closing hides it, where it can be shown again.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::Sender;
use std::thread;

use tauri::webview::{DownloadEvent, NewWindowResponse, WebviewWindowBuilder};
use tauri::{AppHandle, Manager, Url, Webview, WebviewUrl, WebviewWindow, WindowEvent};

use super::{quit, tray};
use crate::log::say;
use crate::runtime::app_image;
use crate::settings::stored::Theme;

const LABEL: &str = "main";

/// `keeps_data`: there is a folder for what a page keeps by itself; without one it keeps nothing.
pub fn create(app: &AppHandle, theme: Theme, keeps_data: bool) -> tauri::Result<()> {
    let mut builder = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::default());
    if !keeps_data {
        // A window that can't be opened could not say what is wrong either. The folder only has to be there.
        builder = builder.incognito(true).data_directory(std::env::temp_dir());
    }
    let window = builder
        .title("Hawser")
        .inner_size(1_100.0, 760.0)
        .min_inner_size(360.0, 480.0)
        .theme(to_window_theme(theme))
        // Files that are dropped are the page's to take or to refuse.
        .disable_drag_drop_handler()
        .on_navigation(|url| is_own_page(url) || is_own_content(url))
        .on_download(save_download)
        .on_new_window(|url, _| {
            open_outside(&url);
            NewWindowResponse::Deny
        })
        .build()?;
    #[cfg(target_os = "linux")]
    {
        super::lost_page::follow(&window);
        super::own_content::follow(&window);
    }
    let app = app.clone();
    window.on_window_event(move |event| {
        if let WindowEvent::CloseRequested { api, .. } = event {
            api.prevent_close();
            close(&app);
        }
    });
    Ok(())
}

/// Beside the window's own thread: a desktop may take its time to say whether it has a tray.
fn close(app: &AppHandle) {
    let app = app.clone();
    thread::spawn(move || {
        if tray::is_visible(&app) {
            hide(&app);
        } else {
            quit::begin(&app);
        }
    });
}

/// Given when the page has taken in everything that was sent to it before; dropped when there is no page.
pub fn ask_for_sign(app: &AppHandle, sign: Sender<()>) {
    if let Some(window) = window(app) {
        let _ = window.eval_with_callback("0", move |_| {
            let _ = sign.send(());
        });
    }
}

fn is_own_page(url: &Url) -> bool {
    url.scheme() == "tauri" && url.host_str() == Some("localhost")
}

/// What the page has made itself, to be saved.
fn is_own_content(url: &Url) -> bool {
    url.scheme() == "blob" && url.path().parse().is_ok_and(|inner| is_own_page(&inner))
}

/// Into the folder for downloads, and never over another file. Whatever else would be loaded is not.
fn save_download(webview: Webview, event: DownloadEvent<'_>) -> bool {
    match event {
        DownloadEvent::Requested { url, destination } => {
            let folder = webview.path();
            let folder = folder.download_dir().or_else(|_| folder.home_dir());
            let Some(folder) = folder.ok().filter(|_| is_own_content(&url)) else {
                return false;
            };
            *destination = free_name(&folder);
            true
        }
        DownloadEvent::Finished { path, success, .. } => {
            let outcome = if success {
                "was saved"
            } else {
                "could not be saved"
            };
            let path = path.unwrap_or_default();
            say(&format!("hawser: {} {outcome}", path.display()));
            true
        }
        _ => false,
    }
}

fn free_name(folder: &Path) -> PathBuf {
    let names = (1..).map(|number| match number {
        1 => folder.join("hawser-wire.ndjson"),
        _ => folder.join(format!("hawser-wire-{number}.ndjson")),
    });
    let mut free = names.filter(|name| !name.exists());
    free.next().expect("there is always another number")
}

fn open_outside(url: &Url) {
    if url.scheme() != "https" {
        say("hawser: only links that begin with https:// are opened");
    } else if let Err(error) = open_in_browser(url.as_str()) {
        say(&format!("hawser: the link could not be opened: {error}"));
    }
}

/// The browser is the machine's: it gets nothing of the libraries of an AppImage, and outlives the app.
fn open_in_browser(url: &str) -> io::Result<()> {
    let mut outcome = Err(io::ErrorKind::NotFound.into());
    for mut command in open::commands(url) {
        app_image::leave(&mut command);
        // Not in the folder of an AppImage, which could not be let go of while the browser runs.
        command
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        outcome = command.spawn();
        if outcome.is_ok() {
            break;
        }
    }
    let mut opener = outcome?;
    // It ends when it has told the browser, or with the browser.
    thread::spawn(move || opener.wait());
    Ok(())
}

pub fn window(app: &AppHandle) -> Option<WebviewWindow> {
    app.get_webview_window(LABEL)
}

// What fails in the following fails because the window is gone, and with it the wish.

pub fn show(app: &AppHandle) {
    if let Some(window) = window(app) {
        let _ = window.show();
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
}

pub fn hide(app: &AppHandle) {
    if let Some(window) = window(app) {
        let _ = window.hide();
    }
}

/// Not by focus: pressing a shortcut takes that away from the window for a moment.
pub fn toggle(app: &AppHandle) {
    let Some(window) = window(app) else { return };
    if window.is_visible().unwrap_or(false) && !window.is_minimized().unwrap_or(false) {
        hide(app);
    } else {
        show(app);
    }
}

pub fn apply_theme(app: &AppHandle, theme: Theme) {
    app.set_theme(to_window_theme(theme));
}

fn to_window_theme(theme: Theme) -> Option<tauri::Theme> {
    match theme {
        Theme::System => None,
        Theme::Light => Some(tauri::Theme::Light),
        Theme::Dark => Some(tauri::Theme::Dark),
    }
}

#[cfg(test)]
mod tests {
    use super::{free_name, is_own_content, is_own_page};

    #[test]
    fn only_the_apps_own_page_is_shown_in_the_window() {
        let is_own = |url: &str| is_own_page(&url.parse().unwrap());
        assert!(is_own("tauri://localhost/"));
        for other in [
            "https://example.com/",
            "tauri://other/",
            "file:///etc/passwd",
            "about:blank",
            "data:text/html,x",
            "http://localhost/",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn only_what_the_page_has_made_itself_is_saved() {
        let is_own = |url: &str| is_own_content(&url.parse().unwrap());
        assert!(is_own("blob:tauri://localhost/7d2e"));
        for other in [
            "blob:https://example.com/7d2e",
            "blob:null/7d2e",
            "https://example.com/x",
            "data:text/plain,x",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn what_is_saved_never_replaces_a_file() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "hawser-wire.ndjson",
            "hawser-wire-2.ndjson",
            "hawser-wire-3.ndjson",
        ] {
            let free = free_name(folder.path());
            assert_eq!(free, folder.path().join(name));
            std::fs::write(free, "").unwrap();
        }
    }
}
