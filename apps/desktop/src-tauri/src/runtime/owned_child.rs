// A child process that is ours, in a process group of its own. Stopping goes from polite to certain: end its
// input, wait, SIGTERM to the group, wait, SIGKILL to the group. It is not reaped before that, so its id
// can't become somebody else's while signals are sent.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;

use rustix::io::Errno;
use rustix::process::{Signal, WaitId, WaitIdOptions, waitid};

use super::limits::Limits;
use super::process::{ask_group_to_end, signal_group, to_pid};
use crate::latch::Latch;

pub struct OwnedChild {
    child: Child,
    exited: Latch,
}

pub struct Pipes {
    pub input: ChildStdin,
    pub output: ChildStdout,
    pub log: ChildStderr,
}

impl OwnedChild {
    /// `on_exit` is called once, from another thread.
    pub fn start(
        mut command: Command,
        on_exit: impl FnOnce() + Send + 'static,
    ) -> io::Result<(Self, Pipes)> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.process_group(0).spawn()?;
        let pipes = Pipes {
            input: child.stdin.take().expect("stdin is a pipe"),
            output: child.stdout.take().expect("stdout is a pipe"),
            log: child.stderr.take().expect("stderr is a pipe"),
        };
        let exited = Latch::default();
        let (id, latch) = (child.id(), exited.clone());
        thread::spawn(move || {
            wait_without_reaping(id);
            latch.set();
            on_exit();
        });
        Ok((Self { child, exited }, pipes))
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the child and all of its group; returns when it is gone. Its input has ended before.
    pub fn stop(mut self, limits: &Limits) -> io::Result<ExitStatus> {
        if !self.exited.wait(limits.stop_input) {
            ask_group_to_end(self.id());
            self.exited.wait(limits.stop_signal);
        }
        // Always: the process itself may be gone and have left something behind that holds its pipes.
        signal_group(self.id(), Signal::KILL);
        self.child.wait()
    }
}

fn wait_without_reaping(id: u32) {
    let Some(pid) = to_pid(id) else { return };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(pid), options), Err(Errno::INTR)) {}
}

/// `exit code 1`, or the name of a signal.
pub fn describe_exit(status: io::Result<ExitStatus>) -> String {
    match status {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => signal_name(signal),
            (None, None) => status.to_string(),
        },
        Err(error) => error.to_string(),
    }
}

fn signal_name(number: i32) -> String {
    let known = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::KILL, "SIGKILL"),
        (Signal::TERM, "SIGTERM"),
    ];
    let found = known
        .iter()
        .find(|(signal, _)| signal.as_raw() == number)
        .map(|(_, name)| (*name).to_owned());
    found.unwrap_or_else(|| format!("signal {number}"))
}
