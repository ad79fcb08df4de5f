// Bytes in, whole lines out, in order and one at a time. A line that is too long is dropped up to its line
// feed before it is kept, one that is not UTF-8 is dropped whole; both are told, and the loop goes on. What
// stands after the last line feed is a line too. Ends with the input, and keeps at most one line.

use std::io::{BufRead, BufReader, ErrorKind, Read};

/// What of a dropped line is shown to whoever looks for the mistake.
const HEAD_BYTES: usize = 8_192;
const BUFFER_BYTES: usize = 65_536;

#[derive(Debug, PartialEq)]
pub enum Piece<'a> {
    Line(&'a str),
    Dropped { reason: String, head: String },
}

pub fn pump_lines(input: impl Read, max_bytes: usize, mut take: impl FnMut(Piece<'_>)) {
    let mut input = BufReader::with_capacity(BUFFER_BYTES, input);
    let mut line = Line::new(max_bytes);
    loop {
        let (used, is_whole) = match input.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => match bytes.iter().position(|&byte| byte == b'\n') {
                Some(end) => {
                    line.add(&bytes[..end]);
                    (end + 1, true)
                }
                None => {
                    line.add(bytes);
                    (bytes.len(), false)
                }
            },
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // A pipe that can't be read any more has ended.
            Err(_) => break,
        };
        input.consume(used);
        if is_whole {
            line.hand_over(&mut take);
        }
    }
    line.hand_over(&mut take);
}

struct Line {
    bytes: Vec<u8>,
    max_bytes: usize,
    is_too_long: bool,
}

impl Line {
    fn new(max_bytes: usize) -> Self {
        Self {
            bytes: Vec::new(),
            max_bytes,
            is_too_long: false,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.is_too_long {
            return;
        }
        let room = self.max_bytes - self.bytes.len();
        if bytes.len() <= room {
            return self.bytes.extend_from_slice(bytes);
        }
        self.is_too_long = true;
        self.bytes.extend_from_slice(&bytes[..room.min(HEAD_BYTES)]);
        self.bytes.truncate(HEAD_BYTES);
        self.bytes.shrink_to_fit();
    }

    fn hand_over(&mut self, take: &mut impl FnMut(Piece<'_>)) {
        if self.is_too_long {
            take(self.dropped(format!("the line is longer than {} bytes", self.max_bytes)));
        } else {
            match std::str::from_utf8(&self.bytes) {
                Ok(text) if text.trim().is_empty() => {}
                Ok(text) => take(Piece::Line(text)),
                Err(_) => take(self.dropped("the line is not valid UTF-8".into())),
            }
        }
        self.is_too_long = false;
        self.bytes.clear();
        // One huge line must not be paid for until the end.
        self.bytes.shrink_to(BUFFER_BYTES);
    }

    fn dropped(&self, reason: String) -> Piece<'static> {
        let head = &self.bytes[..self.bytes.len().min(HEAD_BYTES)];
        Piece::Dropped {
            reason,
            head: String::from_utf8_lossy(head).into_owned(),
        }
    }
}
