// Signals that ask the app to end: from a terminal, from a session that is left, from `kill`. They end it as
// its menu does, so that no runtime is left. One that whoever started the app had switched off stays so.

use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tauri::AppHandle;

use super::quit;
use crate::log::say;

pub fn follow(app: &AppHandle) {
    let ignored = ignored_signals();
    let wanted = [SIGHUP, SIGINT, SIGTERM];
    let wanted = wanted.into_iter().filter(|&signal| !is_in(ignored, signal));
    let mut signals = match Signals::new(wanted) {
        Ok(signals) => signals,
        Err(error) => return say(&format!("hawser: signals can't be followed: {error}")),
    };
    let app = app.clone();
    thread::spawn(move || {
        for _ in signals.forever() {
            quit::begin(&app);
        }
    });
}

/// As `nohup` does it. A bit for each, the first for signal 1.
fn ignored_signals() -> u64 {
    // Linux says so; elsewhere nothing is known, and nothing ignored.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    parse_ignored(&status)
}

fn parse_ignored(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

fn is_in(mask: u64, signal: i32) -> bool {
    mask >> (signal - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_was_switched_off_is_known() {
        let mask =
            parse_ignored("Name:\tx\nSigBlk:\t0000000000000003\nSigIgn:\t0000000000001001\n");
        assert!(is_in(mask, SIGHUP));
        assert!(!is_in(mask, SIGINT) && !is_in(mask, SIGTERM));
        assert_eq!(parse_ignored("nothing of the kind"), 0);
    }
}
