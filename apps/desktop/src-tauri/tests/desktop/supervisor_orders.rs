// Orders to a supervisor: they wait for nothing that may not come, and many of a kind are one.

use std::fs::read_to_string;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hawser_desktop::runtime::relay::Phase;

use crate::agent_child::{READY, greeting_shell, quick_limits, shell, supervise, wait_until};

#[test]
fn stop_does_not_wait_for_a_keychain_that_does_not_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (answer, answers) = channel::<()>();
    let answers = Mutex::new(answers);
    let is_asked = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_asked);
    let launch = move || {
        asked.store(true, Ordering::Release);
        let _ = answers.lock().unwrap().recv();
        Err("too late".to_owned())
    };
    let (supervisor, page) = supervise(launch, folder.path(), quick_limits());
    wait_until("it was asked", || is_asked.load(Ordering::Acquire));
    assert_eq!(
        supervisor.relay.send("{}").unwrap_err().message,
        "the agent is still being started"
    );
    let before = Instant::now();
    supervisor.stop();
    assert!(before.elapsed() < Duration::from_secs(20));
    drop(answer);
    assert_eq!(page.all(), []);
}

#[test]
fn a_plan_that_is_late_is_not_carried_out() {
    let folder = tempfile::tempdir().unwrap();
    let (answer, answers) = channel::<()>();
    let answers = Mutex::new(Some(answers));
    let launch = move || {
        let first = answers.lock().unwrap().take();
        if let Some(answers) = first {
            let _ = answers.recv();
            return Ok(greeting_shell("echo '{\"from\":\"old settings\"}'; cat"));
        }
        Ok(greeting_shell("echo '{\"from\":\"new settings\"}'; cat"))
    };
    let (supervisor, page) = supervise(launch, folder.path(), quick_limits());
    std::thread::sleep(Duration::from_millis(50));
    supervisor.restart();
    page.wait_for_response("new settings");
    drop(answer);
    std::thread::sleep(Duration::from_millis(200));
    supervisor.stop();
    let text = format!("{:?}", page.all());
    assert!(!text.contains("old settings"), "{text}");
}

#[test]
fn many_changes_of_settings_at_once_are_not_as_many_starts() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let script = format!("echo x >> {}; echo '{READY}'; cat", starts.display());
    let (supervisor, page) = supervise(move || Ok(shell(&script)), folder.path(), quick_limits());
    page.wait_for_phase(Phase::Running);
    for _ in 0..200 {
        supervisor.restart();
    }
    page.wait_for(2, |one| one.phase() == Some(Phase::Running));
    supervisor.stop();
    let count = read_to_string(&starts).unwrap().lines().count();
    assert!((2..=10).contains(&count), "{count} starts");
}

#[test]
fn a_stop_behind_many_orders_to_start_again_is_not_last_in_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let launch = greeting_shell("trap '' TERM; sleep 1000; sleep 1000");
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    page.wait_for_phase(Phase::Running);
    for _ in 0..100 {
        supervisor.restart();
    }
    let before = Instant::now();
    supervisor.stop();
    // Each end of such a one takes two seconds.
    assert!(before.elapsed() < Duration::from_secs(40));
}
