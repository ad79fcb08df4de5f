// Stand-ins: shell scripts that speak like a runtime, and a sink that remembers what the page would have seen.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use hawser_desktop::runtime::launch::Launch;
use hawser_desktop::runtime::leftover::PidFile;
use hawser_desktop::runtime::limits::Limits;
use hawser_desktop::runtime::process::start_mark;
use hawser_desktop::runtime::relay::{Phase, RuntimeState, Sink};
use hawser_desktop::runtime::supervisor::{Supervisor, SupervisorOptions};

pub const BUILD: &str = "1.2.3";
pub const READY: &str = r#"{"type":"ready","version":"1.0.0","build":"1.2.3"}"#;
/// Far beyond what anything here takes, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Response(String),
    State(Phase, String),
    Notice(String),
}

impl Seen {
    pub fn phase(&self) -> Option<Phase> {
        match self {
            Self::State(phase, _) => Some(*phase),
            _ => None,
        }
    }
}

#[derive(Default)]
pub struct Page {
    seen: Mutex<Vec<Seen>>,
    change: Condvar,
}

impl Page {
    fn add(&self, seen: Seen) {
        self.seen.lock().unwrap().push(seen);
        self.change.notify_all();
    }

    pub fn all(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until it has been seen that often; returns all that was.
    pub fn wait_for(&self, times: usize, is_meant: impl Fn(&Seen) -> bool) -> Vec<Seen> {
        let is_missing =
            |seen: &mut Vec<Seen>| seen.iter().filter(|one| is_meant(one)).count() < times;
        let (seen, waited) = self
            .change
            .wait_timeout_while(self.seen.lock().unwrap(), PATIENCE, is_missing)
            .unwrap();
        assert!(!waited.timed_out(), "only this came: {seen:?}");
        seen.clone()
    }

    /// The sentence that came with it.
    pub fn wait_for_phase(&self, phase: Phase) -> String {
        let seen = self.wait_for(1, |one| one.phase() == Some(phase));
        let found = seen.into_iter().rev().find_map(|one| match one {
            Seen::State(present, message) if present == phase => Some(message),
            _ => None,
        });
        found.unwrap()
    }

    pub fn wait_for_response(&self, part: &str) {
        self.wait_for(
            1,
            |one| matches!(one, Seen::Response(line) if line.contains(part)),
        );
    }
}

impl Sink for Page {
    fn response(&self, line: &str) {
        self.add(Seen::Response(line.to_owned()));
    }

    fn state(&self, state: &RuntimeState) {
        let message = state.message.clone().unwrap_or_default();
        self.add(Seen::State(state.runtime, message));
    }

    fn notice(&self, text: &str) {
        self.add(Seen::Notice(text.to_owned()));
    }
}

pub fn quick_limits() -> Limits {
    Limits {
        restart: Duration::from_millis(5),
        stop_signal: Duration::from_secs(1),
        stop_input: Duration::from_secs(1),
        ..Limits::default()
    }
}

pub fn shell(script: &str) -> Launch {
    Launch {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![],
        folder: "/".into(),
    }
}

/// A script that greets, and then goes on with `rest`.
pub fn greeting_shell(rest: &str) -> Launch {
    shell(&format!("echo '{READY}'; {rest}"))
}

pub fn supervise(
    launch: impl Fn() -> Result<Launch, String> + Send + Sync + 'static,
    folder: &Path,
    limits: Limits,
) -> (Supervisor, Arc<Page>) {
    let page = Arc::new(Page::default());
    let supervisor = Supervisor::start(SupervisorOptions {
        launch: Arc::new(launch),
        build: BUILD.into(),
        pid_file: PidFile::new(folder.join("runtime.json")),
        sink: Arc::clone(&page) as Arc<dyn Sink>,
        limits,
    });
    (supervisor, page)
}

pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn is_running(pid: u32) -> bool {
    start_mark(pid).is_some()
}
