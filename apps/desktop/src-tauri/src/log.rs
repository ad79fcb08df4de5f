// The app's own words, for people who started it in a terminal. Nobody may be reading any more: that is no
// reason to fail, which the usual macros would do.

use std::io::{Write, stderr};

/// One line to stderr.
pub fn say(text: &str) {
    let _ = writeln!(stderr().lock(), "{text}");
}
