// The program. `--debug-protocol` names every message to and from the runtime on stderr; `--version` says the
// version; there is nothing else to say to it.

use std::process::ExitCode;

use hawser_desktop::log::{flush, say};

fn main() -> ExitCode {
    let has = |flag: &str| std::env::args_os().skip(1).any(|argument| argument == flag);
    if has("--version") {
        println!("{}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let ended = if has_display() {
        hawser_desktop::app::run(has("--debug-protocol"))
            .map_err(|error| format!("the window can't be opened: {error}"))
    } else {
        Err("there is no display to open a window on".to_owned())
    };
    let code = match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            say(&format!("hawser: {sentence}"));
            ExitCode::FAILURE
        }
    };
    flush();
    code
}

/// Without one the window's library would not return but panic.
#[cfg(target_os = "linux")]
fn has_display() -> bool {
    gtk::init().is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_display() -> bool {
    true
}
