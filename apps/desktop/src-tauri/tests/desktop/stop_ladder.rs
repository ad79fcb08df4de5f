// How a child is ended: politely, then surely, with all of its group.

use std::io::{BufRead, BufReader, Read};
use std::process::{ChildStdout, Command};
use std::time::{Duration, Instant};

use hawser_desktop::runtime::limits::Limits;
use hawser_desktop::runtime::owned_child::{OwnedChild, Pipes, describe_exit};
use hawser_desktop::runtime::process::signal_group;
use rustix::process::Signal;

use crate::agent_child::{is_running, quick_limits, wait_until};

fn start(script: &str) -> (OwnedChild, Pipes) {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    OwnedChild::start(command, || {}).unwrap()
}

/// A script says a line once it is set up.
fn first_line(output: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    line.trim().to_owned()
}

#[test]
fn a_child_that_ends_with_its_input_gets_no_signal() {
    let (child, pipes) = start("trap 'exit 9' TERM; cat; exit 4");
    let before = Instant::now();
    drop(pipes.input);
    let exit = describe_exit(child.stop(&quick_limits()));
    assert_eq!(exit, "exit code 4");
    assert!(before.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_child_that_ignores_the_end_of_its_input_is_asked_to_end() {
    let (child, pipes) = start("trap 'exit 9' TERM; echo set; while :; do sleep 0.05; done");
    let mut output = BufReader::new(pipes.output);
    assert_eq!(first_line(&mut output), "set");
    drop(pipes.input);
    let exit = describe_exit(child.stop(&quick_limits()));
    assert_eq!(exit, "exit code 9");
}

#[test]
fn a_stubborn_child_is_killed() {
    let (child, pipes) = start("trap '' TERM; echo set; while :; do sleep 0.05; done");
    let mut output = BufReader::new(pipes.output);
    assert_eq!(first_line(&mut output), "set");
    let pid = child.id();
    drop(pipes.input);
    let exit = describe_exit(child.stop(&quick_limits()));
    assert_eq!(exit, "SIGKILL");
    assert!(!is_running(pid));
}

#[test]
fn what_a_child_leaves_in_its_group_goes_with_it() {
    let (child, pipes) = start("sleep 1000 & echo $!; cat");
    let mut output = BufReader::new(pipes.output);
    let grandchild: u32 = first_line(&mut output).parse().unwrap();
    assert!(is_running(grandchild));
    drop(pipes.input);
    let exit = describe_exit(child.stop(&quick_limits()));
    assert_eq!(exit, "exit code 0");
    wait_until("the grandchild is gone", || !is_running(grandchild));
    // Nobody holds the pipe any more.
    assert_eq!(output.read_to_end(&mut Vec::new()).unwrap(), 0);
}

#[test]
fn the_end_of_a_child_is_told_once_and_its_id_stays_its_own_until_then() {
    let (told, heard) = std::sync::mpsc::channel();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "exit 3"]);
    let (child, _pipes) = OwnedChild::start(command, move || told.send(()).unwrap()).unwrap();
    heard.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(
        std::path::Path::new(&format!("/proc/{}", child.id())).exists()
            || cfg!(not(target_os = "linux"))
    );
    assert_eq!(describe_exit(child.stop(&quick_limits())), "exit code 3");
    assert!(heard.recv().is_err());
}

#[test]
fn a_child_that_was_stopped_hears_that_it_is_to_end() {
    let (child, pipes) = start("trap 'exit 9' TERM; echo set; while :; do sleep 0.05; done");
    let mut output = BufReader::new(pipes.output);
    assert_eq!(first_line(&mut output), "set");
    signal_group(child.id(), Signal::STOP);
    drop(pipes.input);
    let exit = describe_exit(child.stop(&patient_limits()));
    assert_eq!(exit, "exit code 9");
}

/// Time enough after the signal, however busy the machine is.
fn patient_limits() -> Limits {
    Limits {
        stop_signal: Duration::from_secs(30),
        ..quick_limits()
    }
}
