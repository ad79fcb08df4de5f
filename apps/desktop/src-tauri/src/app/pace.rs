// The runtime is read no faster than the page takes it in. After so many lines, or so many bytes, the page is
// asked for a sign that it has come that far; meanwhile the runtime's output waits in its pipe, and nothing
// piles up in between. A page that gives no sign for long is not waited for: it may be gone.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::sleep;
use std::time::Duration;

use crate::locked::locked;

const MAX_LINES: usize = 64;
const MAX_BYTES: usize = 1_048_576;
const SIGN_LIMIT: Duration = Duration::from_secs(30);
/// A page that is not there yet can give no sign; what is said meanwhile is not for it.
const NO_PAGE_WAIT: Duration = Duration::from_millis(20);

#[derive(Default)]
struct Passed {
    lines: usize,
    bytes: usize,
}

#[derive(Default)]
pub struct Pace(Mutex<Passed>);

impl Pace {
    /// After a line of that size. `ask` has the page give its sign; one that can't drops it.
    pub fn keep(&self, bytes: usize, ask: impl FnOnce(Sender<()>)) {
        if !self.is_due(bytes) {
            return;
        }
        let (sign, signs) = channel();
        ask(sign);
        if let Err(RecvTimeoutError::Disconnected) = signs.recv_timeout(SIGN_LIMIT) {
            sleep(NO_PAGE_WAIT);
        }
    }

    fn is_due(&self, bytes: usize) -> bool {
        let mut passed = locked(&self.0);
        passed.lines += 1;
        passed.bytes += bytes;
        let is_due = passed.lines >= MAX_LINES || passed.bytes >= MAX_BYTES;
        if is_due {
            *passed = Passed::default();
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_asked(sizes: impl Iterator<Item = usize>) -> usize {
        let (pace, mut asked) = (Pace::default(), 0);
        for bytes in sizes {
            pace.keep(bytes, |sign| {
                asked += 1;
                let _ = sign.send(());
            });
        }
        asked
    }

    #[test]
    fn the_page_is_asked_after_so_many_lines_and_after_so_many_bytes() {
        assert_eq!(count_asked([10; 63].into_iter()), 0);
        assert_eq!(count_asked([10; 640].into_iter()), 10);
        assert_eq!(count_asked([400_000; 9].into_iter()), 3);
        assert_eq!(count_asked([10_000_000; 4].into_iter()), 4);
    }

    #[test]
    fn it_waits_for_the_sign_and_goes_on_without_a_page() {
        let (pace, (told, heard)) = (Pace::default(), channel());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                pace.keep(MAX_BYTES, |sign| told.send(sign).unwrap());
                told.send(channel().0).unwrap();
            });
            let sign = heard.recv().unwrap();
            assert!(heard.recv_timeout(Duration::from_millis(200)).is_err());
            sign.send(()).unwrap();
            heard.recv().unwrap();
        });
        pace.keep(MAX_BYTES, drop);
    }
}
