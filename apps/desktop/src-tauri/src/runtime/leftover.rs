// Finds the runtime of an app that crashed. While a runtime runs, a small file says which process it is, when
// that started, and the same of the app that owns it. At the next start a process that fits all of it, and
// whose owner is gone, is ended; any other process with that id is somebody else's and is left alone.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use super::limits::Limits;
use super::process::{ask_group_to_end, signal_group, start_mark};
use crate::private_file::write_private;

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    pid: u32,
    started: String,
    owner: u32,
    owner_started: String,
}

pub struct PidFile(PathBuf);

impl PidFile {
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Without a file, a crash of ours may leave the runtime behind; that is no reason not to run.
    pub fn write(&self, pid: u32) -> Result<(), String> {
        let owner = std::process::id();
        let (Some(started), Some(owner_started)) = (start_mark(pid), start_mark(owner)) else {
            return Ok(());
        };
        let record = Record {
            pid,
            started,
            owner,
            owner_started,
        };
        let text = serde_json::to_string(&record).expect("a record is plain JSON");
        write_private(&self.0, text.as_bytes())
    }

    /// Unless it is another app's by now, which was started while this one ended.
    pub fn remove(&self) {
        let owner = read_record(&self.0).map(|record| record.owner);
        if owner.is_none_or(|owner| owner == std::process::id()) {
            self.remove_any();
        }
    }

    fn remove_any(&self) {
        let _ = std::fs::remove_file(&self.0);
    }

    /// The process that was ended, if there was one.
    pub fn end_leftover(&self, limits: &Limits) -> Option<u32> {
        let record = read_record(&self.0)?;
        if is_running(record.owner, &record.owner_started) {
            return None;
        }
        self.remove_any();
        if !is_running(record.pid, &record.started) {
            return None;
        }
        ask_group_to_end(record.pid);
        let until = Instant::now() + limits.stop_signal;
        // Not our child: there is nothing to wait on but the system's own list.
        while is_running(record.pid, &record.started) && Instant::now() < until {
            sleep(Duration::from_millis(25));
        }
        signal_group(record.pid, Signal::KILL);
        Some(record.pid)
    }
}

fn read_record(path: &Path) -> Option<Record> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

fn is_running(pid: u32, started: &str) -> bool {
    start_mark(pid).is_some_and(|mark| mark == started)
}
