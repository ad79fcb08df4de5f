// What the operating system knows about processes that are not only ours: a mark by which a process is told
// from a later one with the same id, and signals to a whole group.

use rustix::process::{Pid, Signal, kill_process_group};

#[cfg(not(unix))]
compile_error!("the desktop app runs on Linux and macOS; Windows has no process groups");

/// Nobody of the group may be left, which is then just as well.
pub fn signal_group(leader: u32, signal: Signal) {
    if let Some(pid) = to_pid(leader) {
        let _ = kill_process_group(pid, signal);
    }
}

/// Also one that was stopped: it could neither end nor say anything.
pub fn ask_group_to_end(leader: u32) {
    signal_group(leader, Signal::TERM);
    signal_group(leader, Signal::CONT);
}

pub fn to_pid(id: u32) -> Option<Pid> {
    i32::try_from(id)
        .ok()
        .filter(|&id| id > 1)
        .and_then(Pid::from_raw)
}

/// When the process started, in words that are the same each time; none when there is no such process.
#[cfg(target_os = "linux")]
pub fn start_mark(id: u32) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name before stands in parentheses, and may contain anything.
    let fields: Vec<&str> = status.rsplit_once(')')?.1.split_whitespace().collect();
    let (state, started) = (fields.first()?, fields.get(19)?);
    if matches!(*state, "Z" | "X") {
        return None;
    }
    // Counted from the start of the machine, which therefore belongs to it.
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Some(format!("{} {started}", boot.trim()))
}

#[cfg(not(target_os = "linux"))]
pub fn start_mark(id: u32) -> Option<String> {
    let output = std::process::Command::new("/bin/ps")
        .args(["-o", "lstart=", "-p", &id.to_string()])
        .env("LC_ALL", "C")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|mark| !mark.is_empty())
}
