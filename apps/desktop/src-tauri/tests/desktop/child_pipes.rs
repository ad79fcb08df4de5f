// Children that do not behave: one that floods its log, one that never reads what it is sent.

use std::process::Command;
use std::time::{Duration, Instant};

use hawser_desktop::runtime::child_log::{LastSentence, pass_on_log};
use hawser_desktop::runtime::limits::Limits;
use hawser_desktop::runtime::line_writer::LineWriter;
use hawser_desktop::runtime::owned_child::OwnedChild;
use hawser_desktop::runtime::relay::Phase;

use crate::agent_child::{Page, Seen, greeting_shell, quick_limits, supervise};

fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    command
}

#[test]
fn a_child_that_floods_its_log_is_still_heard_and_its_log_stays_small() {
    let flood = "yes 'some log line' | head -c 30000000 >&2; echo '{\"type\":\"after\"}'; cat";
    let folder = tempfile::tempdir().unwrap();
    let launch = greeting_shell(flood);
    let (supervisor, page) =
        supervise(move || Ok(launch.clone()), folder.path(), Limits::default());
    page.wait_for_response("after");
    supervisor.stop();
    let log: Vec<String> = notices(&page);
    let bytes: usize = log.iter().map(String::len).sum();
    assert!(bytes > 100_000 && bytes < 2_000_000, "{bytes} bytes");
    assert!(
        log.iter()
            .any(|line| line.ends_with("bytes of the agent's log were left out]"))
    );
    assert!(
        page.all()
            .iter()
            .all(|one| one.phase() != Some(Phase::Restarting))
    );
}

fn notices(page: &Page) -> Vec<String> {
    let all = page.all().into_iter();
    all.filter_map(|one| match one {
        Seen::Notice(text) => Some(text),
        _ => None,
    })
    .collect()
}

#[test]
fn a_long_log_line_is_cut_and_the_last_sentence_is_kept() {
    let log = format!(
        "hawser: first\n{}\nhawser: no such model\n[hawser] x\n",
        "z".repeat(100_000)
    );
    let (last, mut printed) = (LastSentence::default(), Vec::new());
    pass_on_log(log.as_bytes(), &last, &Limits::default(), |line| {
        printed.push(line.to_owned());
    });
    assert_eq!(printed.len(), 4);
    assert!(printed[1].ends_with("[cut: the line is longer than 8192 bytes]"));
    assert!(printed[1].len() < 8_300);
    assert_eq!(last.take().as_deref(), Some("no such model"));
}

#[test]
fn requests_to_a_child_that_never_reads_are_refused_when_too_many_wait() {
    let limits = Limits {
        waiting_lines: 3,
        ..quick_limits()
    };
    let (child, pipes) = OwnedChild::start(shell("exec sleep 1000"), || {}).unwrap();
    let writer = LineWriter::start(pipes.input, &limits);
    let line = "x".repeat(100_000);
    let sent = (0..20).map_while(|_| writer.send(&line).ok()).count();
    assert!((3..=5).contains(&sent), "{sent} were taken");
    let refusal = writer.send("y").unwrap_err();
    assert_eq!(refusal.code, "overloaded");
    assert!(
        refusal
            .message
            .starts_with("the agent does not read what it is sent")
    );
    let before = Instant::now();
    drop(writer);
    child.stop(&limits).unwrap();
    assert!(before.elapsed() < Duration::from_secs(30));
}

#[test]
fn requests_that_wait_are_bounded_in_bytes_too() {
    let limits = Limits {
        waiting_bytes: 250_000,
        ..quick_limits()
    };
    let (child, pipes) = OwnedChild::start(shell("exec sleep 1000"), || {}).unwrap();
    let writer = LineWriter::start(pipes.input, &limits);
    let line = "x".repeat(100_000);
    assert_eq!((0..20).map_while(|_| writer.send(&line).ok()).count(), 2);
    // What was refused does not count.
    assert!(writer.send("y").is_ok());
    drop(writer);
    child.stop(&limits).unwrap();
}

#[test]
fn a_request_is_one_line_of_at_most_the_contracts_size() {
    let (child, pipes) = OwnedChild::start(shell("exec cat >/dev/null"), || {}).unwrap();
    let limits = Limits::default();
    let writer = LineWriter::start(pipes.input, &limits);
    assert_eq!(
        writer.send("{}\n{}").unwrap_err().message,
        "a request must be one line"
    );
    let longest = "x".repeat(limits.line_bytes);
    assert!(writer.send(&longest).is_ok());
    let refusal = writer.send(&(longest + "x")).unwrap_err();
    assert_eq!(refusal.code, "too_large");
    assert_eq!(refusal.message, "the request is longer than 10485760 bytes");
    drop(writer);
    child.stop(&quick_limits()).unwrap();
}

#[test]
fn a_child_whose_output_is_no_protocol_is_reported_in_so_many_words_only() {
    let flood = "yes 'this is no JSON' | head -n 200000; echo '{\"type\":\"after\"}'; cat";
    let folder = tempfile::tempdir().unwrap();
    let launch = greeting_shell(flood);
    let (supervisor, page) =
        supervise(move || Ok(launch.clone()), folder.path(), Limits::default());
    page.wait_for_response("after");
    supervisor.stop();
    let log = notices(&page);
    let bytes: usize = log.iter().map(String::len).sum();
    assert!(bytes > 100_000 && bytes < 2_000_000, "{bytes} bytes");
    assert!(log.iter().any(|line| line.ends_with("were left out]")));
}
