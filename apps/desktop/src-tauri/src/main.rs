// The program. `--debug-protocol`, or HAWSER_DEBUG_PROTOCOL=1, shows every line to and from the runtime on
// stderr; `--version` says the version; there is nothing else to say to it.

use std::process::ExitCode;

use hawser_desktop::log::say;

fn main() -> ExitCode {
    let has = |flag: &str| std::env::args().skip(1).any(|argument| argument == flag);
    if has("--version") {
        println!("{}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    if !has_display() {
        say("hawser: there is no display to open a window on");
        return ExitCode::FAILURE;
    }
    let is_asked = std::env::var("HAWSER_DEBUG_PROTOCOL").is_ok_and(|value| value == "1");
    match hawser_desktop::app::run(is_asked || has("--debug-protocol")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("hawser: the window can't be opened: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Without one the window's library would not return but panic.
fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(target_os = "linux")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}
