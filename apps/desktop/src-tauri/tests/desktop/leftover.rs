// The runtime of an app that crashed is ended at the next start; nobody else's process ever is.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hawser_desktop::runtime::leftover::PidFile;
use hawser_desktop::runtime::process::{signal_group, start_mark};
use hawser_desktop::runtime::relay::Phase;
use rustix::process::Signal;
use serde_json::json;
use tempfile::TempDir;

use crate::agent_child::{Seen, greeting_shell, is_running, quick_limits, supervise, wait_until};

struct Left {
    folder: TempDir,
    child: Child,
}

impl Left {
    fn start(script: &str) -> Self {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).process_group(0);
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        Self { folder, child }
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn write(&self, pid: u32, started: &str, owner_started: &str) {
        let owner = std::process::id();
        let record =
            json!({"pid": pid, "started": started, "owner": owner, "ownerStarted": owner_started});
        std::fs::write(self.path(), record.to_string()).unwrap();
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("runtime.json")
    }

    fn find(&self) -> Option<u32> {
        PidFile::new(self.path()).end_leftover(&quick_limits())
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        // What it started must not outlive the test; the group is its own until it is reaped.
        if let Ok(None) = self.child.try_wait() {
            signal_group(self.pid(), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

fn mark(pid: u32) -> String {
    start_mark(pid).unwrap()
}

#[test]
fn a_leftover_that_fits_is_ended_with_its_group() {
    let left = Left::start("sleep 1000 & wait");
    left.write(left.pid(), &mark(left.pid()), "another time");
    assert_eq!(left.find(), Some(left.pid()));
    wait_until("it is gone", || !is_running(left.pid()));
    assert!(!left.path().exists());
}

#[test]
fn a_stubborn_leftover_is_killed() {
    let flag = tempfile::tempdir().unwrap();
    let is_set = flag.path().join("set");
    let left = Left::start(&format!(
        "trap '' TERM; touch {}; while :; do sleep 0.05; done",
        is_set.display()
    ));
    wait_until("it ignores the signal", || is_set.exists());
    left.write(left.pid(), &mark(left.pid()), "another time");
    assert_eq!(left.find(), Some(left.pid()));
    wait_until("it is gone", || !is_running(left.pid()));
}

#[test]
fn a_process_that_started_at_another_time_is_somebody_elses() {
    let left = Left::start("sleep 1000");
    left.write(left.pid(), "another time", "another time");
    assert_eq!(left.find(), None);
    assert!(is_running(left.pid()) && !left.path().exists());
}

#[test]
fn the_runtime_of_an_app_that_still_runs_is_no_leftover() {
    let left = Left::start("sleep 1000");
    left.write(left.pid(), &mark(left.pid()), &mark(std::process::id()));
    assert_eq!(left.find(), None);
    assert!(is_running(left.pid()) && left.path().exists());
}

#[test]
fn a_process_that_is_gone_is_none_and_its_file_goes() {
    let mut left = Left::start("exit 0");
    let pid = left.pid();
    left.child.wait().unwrap();
    left.write(pid, "another time", "another time");
    assert_eq!(left.find(), None);
    assert!(!left.path().exists());
}

#[test]
fn a_file_that_is_none_of_ours_ends_nothing() {
    let left = Left::start("exec sleep 1000");
    for text in ["", "{}", "not json", r#"{"pid":-1,"started":1}"#] {
        std::fs::write(left.path(), text).unwrap();
        assert_eq!(left.find(), None);
    }
    // Groups 0 and 1 are ourselves and everybody.
    for pid in [0, 1] {
        left.write(pid, &start_mark(pid).unwrap_or_default(), "another time");
        left.find();
    }
    assert!(is_running(left.pid()));
    assert!(!Path::new("/nowhere/runtime.json").exists());
    assert_eq!(
        PidFile::new("/nowhere/runtime.json".into()).end_leftover(&quick_limits()),
        None
    );
}

#[test]
fn a_supervisor_ends_the_leftover_before_it_starts_its_own() {
    let left = Left::start("exec sleep 1000");
    left.write(left.pid(), &mark(left.pid()), "another time");
    let launch = greeting_shell("cat");
    let (supervisor, page) = supervise(
        move || Ok(launch.clone()),
        left.folder.path(),
        quick_limits(),
    );
    page.wait_for_phase(Phase::Running);
    assert!(!is_running(left.pid()));
    let notice = format!(
        "an agent that an earlier app left behind (process {}) was ended",
        left.pid()
    );
    assert_eq!(page.all()[0], Seen::Notice(notice));
    supervisor.stop();
}

#[test]
fn the_file_of_another_app_stays_when_this_one_ends() {
    let left = Left::start("exec sleep 1000");
    let record =
        json!({"pid": left.pid(), "started": "x", "owner": left.pid(), "ownerStarted": "x"});
    std::fs::write(left.path(), record.to_string()).unwrap();
    PidFile::new(left.path()).remove();
    assert!(left.path().exists());
    left.write(left.pid(), "x", "x");
    PidFile::new(left.path()).remove();
    assert!(!left.path().exists());
    std::fs::write(left.path(), "nobody's").unwrap();
    PidFile::new(left.path()).remove();
    assert!(!left.path().exists());
}
