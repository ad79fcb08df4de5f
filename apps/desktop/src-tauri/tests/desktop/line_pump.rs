// Lines out of bytes: R140, and what a runtime that has gone wrong may write.

use std::io::{self, Read};
use std::process::{Command, Stdio};

use hawser_desktop::runtime::limits::Limits;
use hawser_desktop::runtime::line_pump::{Piece, pump_lines};

/// Lines as they are, dropped ones as their reason.
fn pump(input: impl Read, max_bytes: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    pump_lines(input, max_bytes, |piece| {
        pieces.push(match piece {
            Piece::Line(line) => line.to_owned(),
            Piece::Dropped { reason, .. } => format!("!{reason}"),
        });
    });
    pieces
}

fn pump_shell(script: &str, max_bytes: usize) -> Vec<String> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", script])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pieces = pump(child.stdout.take().unwrap(), max_bytes);
    child.wait().unwrap();
    pieces
}

#[test]
fn a_line_that_comes_in_parts_is_one_line() {
    let script = "printf '{\"a\"'; sleep 0.1; printf ':1}\\n{\"b\":'; sleep 0.1; printf '2}\\n'";
    assert_eq!(pump_shell(script, 100), [r#"{"a":1}"#, r#"{"b":2}"#]);
}

#[test]
fn what_stands_after_the_last_line_feed_is_a_line() {
    assert_eq!(pump_shell("printf 'one\\ntwo'", 100), ["one", "two"]);
}

#[test]
fn a_character_may_be_cut_anywhere_between_two_reads() {
    struct Cut<'a>(&'a [u8], usize);
    impl Read for Cut<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let size = if self.1 > 0 {
                self.1.min(self.0.len())
            } else {
                self.0.len()
            };
            self.1 = 0;
            buffer[..size].copy_from_slice(&self.0[..size]);
            self.0 = &self.0[size..];
            Ok(size)
        }
    }
    let text = "{\"a\":\"ä€😀\"}\n\u{2028}x\n";
    for cut in 0..text.len() {
        let lines = pump(Cut(text.as_bytes(), cut), 100);
        assert_eq!(lines, ["{\"a\":\"ä€😀\"}", "\u{2028}x"], "cut at {cut}");
    }
}

#[test]
fn a_line_of_exactly_the_limit_passes_and_one_byte_more_does_not() {
    let script = "echo 12345678; echo 123456789; echo after";
    let too_long = "!the line is longer than 8 bytes";
    assert_eq!(pump_shell(script, 8), ["12345678", too_long, "after"]);
}

#[test]
fn a_line_far_over_the_real_limit_is_skipped_to_its_line_feed() {
    let script = "head -c 30000000 /dev/zero | tr '\\0' x; echo; echo after";
    let pieces = pump_shell(script, Limits::default().line_bytes);
    assert_eq!(pieces, ["!the line is longer than 10485760 bytes", "after"]);
}

#[test]
fn a_dropped_line_is_shown_by_its_head_only() {
    let mut heads = Vec::new();
    let line = "y".repeat(100_000) + "\n";
    pump_lines(line.as_bytes(), 50_000, |piece| {
        if let Piece::Dropped { head, .. } = piece {
            heads.push(head.len());
        }
    });
    assert_eq!(heads, [8_192]);
}

#[test]
fn a_line_that_is_not_utf8_is_dropped_and_the_next_one_is_not() {
    let script = "printf 'a\\377b\\n'; printf '\\303\\n'; echo after";
    let invalid = "!the line is not valid UTF-8";
    assert_eq!(pump_shell(script, 100), [invalid, invalid, "after"]);
}

#[test]
fn empty_lines_are_nothing() {
    assert_eq!(pump("\n \r\n\nx\n\n".as_bytes(), 100), ["x"]);
    assert_eq!(pump("".as_bytes(), 100), [""; 0]);
}
