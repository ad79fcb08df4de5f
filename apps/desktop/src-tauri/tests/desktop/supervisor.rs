// A runtime that is kept running: what reaches the page, in which order, and what happens when it ends.

use std::fs::read_to_string;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hawser_desktop::runtime::limits::Limits;
use hawser_desktop::runtime::relay::Phase;

use crate::agent_child::{
    READY, Seen, greeting_shell, is_running, quick_limits, shell, supervise, wait_until,
};

const ECHO: &str =
    "while read -r line; do echo \"{\\\"type\\\":\\\"echo\\\",\\\"of\\\":$line}\"; done";
/// Answers, and ends when it is asked to.
const FRAGILE: &str = "while read -r line; do \
    case $line in *crash*) i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo \"{\\\"n\\\":$i}\"; done; exit 3;; esac; \
    echo '{\"type\":\"answer\"}'; done";

#[test]
fn lines_pass_in_both_directions_and_a_late_page_hears_state_and_greeting_again() {
    let folder = tempfile::tempdir().unwrap();
    let launch = greeting_shell(ECHO);
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    page.wait_for_phase(Phase::Running);
    supervisor.relay.send(r#"{"id":"ä€"}"#).unwrap();
    page.wait_for_response(r#"{"type":"echo","of":{"id":"ä€"}}"#);
    let before = page.all().len();
    supervisor.relay.repeat();
    let greeting = [
        Seen::State(Phase::Running, String::new()),
        Seen::Response(READY.into()),
    ];
    assert_eq!(page.all()[before..], greeting);
    assert_eq!(page.all()[..2], greeting);
    supervisor.stop();
}

#[test]
fn a_line_that_is_no_json_is_reported_and_the_loop_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let launch = greeting_shell(
        "printf '\\033[2Joops\\n'; printf '\\377\\n'; echo '{\"type\":\"after\"}'; cat",
    );
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    page.wait_for_response("after");
    supervisor.stop();
    let notices = page.all().into_iter().filter_map(|one| match one {
        Seen::Notice(text) => Some(text),
        _ => None,
    });
    let notices: Vec<String> = notices.collect();
    assert_eq!(notices.len(), 2);
    assert!(
        notices[0].starts_with("a line from the agent is no response: the line is not valid JSON")
    );
    assert!(notices[0].ends_with(": \\u{1b}[2Joops"));
    assert!(notices[1].contains("not valid UTF-8"));
}

#[test]
fn a_runtime_that_crashes_comes_back_and_its_last_words_are_heard_before() {
    let folder = tempfile::tempdir().unwrap();
    let launch = greeting_shell(FRAGILE);
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    page.wait_for_phase(Phase::Running);
    supervisor.relay.send("crash").unwrap();
    page.wait_for(2, |one| one.phase() == Some(Phase::Running));
    supervisor.relay.send("hello").unwrap();
    page.wait_for_response("answer");
    supervisor.stop();
    let all = page.all();
    let place = |wanted: &Seen| all.iter().position(|one| one == wanted).unwrap();
    let sentence = "the agent ended (exit code 3); what it was asked is lost, and not repeated";
    let lost = place(&Seen::State(Phase::Restarting, sentence.into()));
    assert_eq!(place(&Seen::Response(r#"{"n":200}"#.into())) + 1, lost);
    let after = [
        Seen::State(Phase::Running, String::new()),
        Seen::Response(READY.into()),
    ];
    assert_eq!(all[lost + 1..lost + 3], after);
}

#[test]
fn a_grandchild_that_holds_the_pipes_of_a_crashed_runtime_holds_up_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let launch = greeting_shell("sleep 1000 & echo \"{\\\"left\\\":$!}\"; read -r line; exit 3");
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    let seen = page.wait_for(
        1,
        |one| matches!(one, Seen::Response(line) if line.contains("left")),
    );
    let Some(Seen::Response(line)) = seen.last() else {
        panic!("{seen:?}")
    };
    let pid: u32 = line
        .replace(|char: char| !char.is_ascii_digit(), "")
        .parse()
        .unwrap();
    supervisor.relay.send("go").unwrap();
    page.wait_for(2, |one| one.phase() == Some(Phase::Running));
    wait_until("the grandchild is gone", || !is_running(pid));
    supervisor.stop();
}

#[test]
fn the_wait_before_each_start_is_twice_the_last_one() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        restart: Duration::from_millis(100),
        ..quick_limits()
    };
    let launch = greeting_shell("exit 1");
    let before = Instant::now();
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), limits);
    page.wait_for_phase(Phase::Failed);
    assert!(before.elapsed() >= Duration::from_millis(100 + 200 + 400 + 800));
    supervisor.stop();
}

#[test]
fn new_settings_start_another_runtime_also_after_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let launch = Arc::new(Mutex::new(shell(
        "echo 'hawser: no such model' >&2; exit 2",
    )));
    let given = Arc::clone(&launch);
    let (supervisor, page) = supervise(
        move || Ok(given.lock().unwrap().clone()),
        folder.path(),
        quick_limits(),
    );
    assert_eq!(page.wait_for_phase(Phase::Failed), "no such model");
    *launch.lock().unwrap() = greeting_shell(ECHO);
    supervisor.restart();
    page.wait_for_phase(Phase::Running);
    supervisor.restart();
    page.wait_for(2, |one| one.phase() == Some(Phase::Running));
    let phases: Vec<Phase> = page.all().iter().filter_map(Seen::phase).collect();
    use Phase::{Failed, Restarting, Running};
    assert_eq!(phases, [Failed, Restarting, Running, Restarting, Running]);
    supervisor.stop();
}

#[test]
fn what_a_runtime_says_after_it_was_replaced_does_not_reach_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let launch = greeting_shell("cat; echo '{\"type\":\"late\"}'");
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    page.wait_for_phase(Phase::Running);
    supervisor.restart();
    page.wait_for(2, |one| one.phase() == Some(Phase::Running));
    supervisor.stop();
    let is_late = |one: &Seen| matches!(one, Seen::Response(line) if line.contains("late"));
    assert!(!page.all().iter().any(is_late));
}

#[test]
fn stop_leaves_no_process_and_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let launch = greeting_shell("trap '' TERM; sleep 1000; sleep 1000");
    let (supervisor, page) = supervise(move || Ok(launch.clone()), folder.path(), quick_limits());
    page.wait_for_phase(Phase::Running);
    let file = folder.path().join("runtime.json");
    wait_until("the file is there", || file.exists());
    let record: serde_json::Value = serde_json::from_str(&read_to_string(&file).unwrap()).unwrap();
    let pid = u32::try_from(record["pid"].as_u64().unwrap()).unwrap();
    assert!(is_running(pid));
    supervisor.stop();
    assert!(!is_running(pid) && !file.exists());
    assert!(supervisor.relay.send("{}").is_err());
    // Once more does no harm.
    supervisor.stop();
}
