// Runtimes that can't be kept running: too many ends, another build, no greeting, no program.

use std::fs::read_to_string;
use std::time::Duration;

use hawser_desktop::runtime::launch::Launch;
use hawser_desktop::runtime::limits::Limits;
use hawser_desktop::runtime::line_writer::Refusal;
use hawser_desktop::runtime::relay::Phase;

use crate::agent_child::{READY, Seen, greeting_shell, quick_limits, shell, supervise};

fn phases(seen: &[Seen]) -> Vec<Phase> {
    seen.iter().filter_map(Seen::phase).collect()
}

#[test]
fn five_ends_within_three_minutes_are_the_last_ones() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let launch = shell(&format!(
        "echo x >> {}; echo '{READY}'; exit 7",
        starts.display()
    ));
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    let sentence = page.wait_for_phase(Phase::Failed);
    assert_eq!(
        sentence,
        "the agent ended 5 times within 3 minutes and is not started again; the last time: \
         the agent ended (exit code 7); what it was asked is lost, and not repeated"
    );
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(read_to_string(&starts).unwrap().lines().count(), 5);
    let seen = page.all();
    let count = |phase: Phase| phases(&seen).iter().filter(|&&one| one == phase).count();
    assert_eq!(
        (
            count(Phase::Running),
            count(Phase::Restarting),
            count(Phase::Failed)
        ),
        (5, 4, 1)
    );
    assert_eq!(
        supervisor.relay.send("{}").unwrap_err().message,
        "the agent is not running"
    );
    supervisor.stop();
}

#[test]
fn a_runtime_of_another_build_is_ended_and_its_greeting_never_reaches_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let other = READY.replace("1.2.3", "1.2.2");
    let launch = shell(&format!(
        "echo '{other}'; echo '{{\"type\":\"more\"}}'; exec cat"
    ));
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    assert_eq!(
        page.wait_for_phase(Phase::Failed),
        "the agent is of build 1.2.2, and this app is of build 1.2.3; install both from the same release"
    );
    assert_eq!(phases(&page.all()), [Phase::Failed]);
    assert!(
        !page
            .all()
            .iter()
            .any(|one| matches!(one, Seen::Response(_)))
    );
    assert!(!folder.path().join("runtime.json").exists());
    assert!(supervisor.relay.send("{}").is_err());
    supervisor.stop();
}

#[test]
fn a_runtime_of_another_build_is_known_as_such_when_it_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let launch = shell(&format!("echo '{}'", READY.replace("1.2.3", "2.0.0")));
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    let sentence = page.wait_for_phase(Phase::Failed);
    assert!(
        sentence.starts_with("the agent is of build 2.0.0"),
        "{sentence}"
    );
    supervisor.stop();
}

#[test]
fn requests_are_refused_while_the_runtime_is_down() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        restart: Duration::from_secs(1_000),
        ..quick_limits()
    };
    let launch = greeting_shell("read -r line; exit 1");
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), limits);
    page.wait_for_phase(Phase::Running);
    supervisor.relay.send("{}").unwrap();
    page.wait_for_phase(Phase::Restarting);
    let Refusal {
        code,
        message: refusal,
    } = supervisor.relay.send("{}").unwrap_err();
    assert_eq!(code, "connection_lost");
    assert_eq!(refusal, "the agent has ended; it is being started again");
    // A wait of that length does not hold up the end.
    supervisor.stop();
}

#[test]
fn a_runtime_that_does_not_greet_in_time_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        ready: Duration::from_millis(200),
        ..quick_limits()
    };
    let launch = shell("exec cat");
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), limits);
    let sentence = page.wait_for_phase(Phase::Failed);
    assert_eq!(
        sentence,
        "/bin/sh did not say `ready` within 200 ms; it was stopped"
    );
    supervisor.stop();
}

#[test]
fn a_runtime_that_never_ran_is_not_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let launch = shell("exit 5");
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    let sentence = page.wait_for_phase(Phase::Failed);
    assert_eq!(
        sentence,
        "/bin/sh ended (exit code 5) before it said `ready`"
    );
    assert_eq!(phases(&page.all()), [Phase::Failed]);
    supervisor.stop();
}

#[test]
fn a_program_that_is_not_there_and_a_launch_that_is_refused_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Launch {
        program: "/nowhere/node".into(),
        ..shell("")
    };
    let (supervisor, page) = supervise(move || Ok(missing.clone()), folder.path(), quick_limits());
    assert!(
        page.wait_for_phase(Phase::Failed)
            .starts_with("can't start /nowhere/node: ")
    );
    supervisor.stop();
    let refused = || Err("the agent runtime is missing".to_owned());
    let (supervisor, page) = supervise(refused, folder.path(), quick_limits());
    assert_eq!(
        page.wait_for_phase(Phase::Failed),
        "the agent runtime is missing"
    );
    supervisor.stop();
}

#[test]
fn a_runtime_that_closes_its_output_but_lives_is_ended_and_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let launch = greeting_shell("exec >&-; cat >/dev/null; sleep 1000");
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    page.wait_for(2, |one| one.phase() == Some(Phase::Running));
    let sentence = page.wait_for_phase(Phase::Restarting);
    assert!(sentence.starts_with("the agent ended ("), "{sentence}");
    supervisor.stop();
}

#[test]
fn a_second_greeting_is_a_response_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let other = READY.replace("1.2.3", "9.9.9");
    let launch = greeting_shell(&format!(
        "echo '{READY}'; echo '{other}'; echo '{{\"type\":\"after\"}}'; cat"
    ));
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    page.wait_for_response("after");
    assert_eq!(phases(&page.all()), [Phase::Running]);
    supervisor.relay.repeat();
    assert_eq!(page.all().last(), Some(&Seen::Response(READY.into())));
    supervisor.stop();
}
