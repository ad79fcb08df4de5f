// The page runs in a process of its own, which may crash or be killed for its memory: the window would stay
// empty. The page is then loaded again, unless that happens over and over; the runtime goes on meanwhile.

use std::cell::RefCell;
use std::time::Instant;

use tauri::WebviewWindow;
use webkit2gtk::{WebProcessTerminationReason, WebViewExt};

use crate::log::say;
use crate::runtime::crash_count::CrashCount;
use crate::runtime::limits::Limits;

pub fn follow(window: &WebviewWindow) {
    let followed = window.with_webview(|webview| {
        let losses = RefCell::new(CrashCount::default());
        webview
            .inner()
            .connect_web_process_terminated(move |view, reason| {
                if reason == WebProcessTerminationReason::TerminatedByApi {
                    return;
                }
                let count = losses
                    .borrow_mut()
                    .note(Instant::now(), "", &Limits::default());
                if count.is_ok() {
                    say("hawser: the page has ended by itself; it is loaded again");
                    view.reload();
                } else {
                    say("hawser: the page has ended by itself too often, and is not loaded again");
                }
            });
    });
    if let Err(error) = followed {
        say(&format!("hawser: a lost page would not be seen: {error}"));
    }
}
