// One runtime, from its start to its end: the process, and the threads that move its lines. What it writes
// goes to the page as it comes; what happens to it is told to the supervisor.

use std::process::ChildStdout;
use std::sync::{Arc, OnceLock};
use std::thread;

use super::child_log::{LastSentence, LogBudget, pass_on_log};
use super::greeting::{Greeting, check_json, read_greeting};
use super::launch::Launch;
use super::limits::Limits;
use super::line_pump::{Piece, pump_lines};
use super::line_writer::LineWriter;
use super::owned_child::{OwnedChild, describe_exit};
use super::relay::Relay;
use crate::latch::Latch;

const SHOWN_NOISE_CHARS: usize = 200;

pub enum LifeEvent {
    /// It has said `ready`.
    Greeted,
    /// The process has ended, or its output has.
    Ended,
}

/// What a life needs of its surroundings.
#[derive(Clone)]
pub struct LifeContext {
    pub number: u64,
    pub relay: Arc<Relay>,
    /// Told from several threads.
    pub tell: Arc<dyn Fn(LifeEvent) + Send + Sync>,
    pub build: String,
    pub limits: Limits,
}

/// Whether a runtime that has said `ready` is the right one; or the sentence that says why not.
pub type Verdict = Result<(), String>;

pub struct HowEnded {
    /// None when it never said `ready`.
    pub verdict: Option<Verdict>,
    /// `exit code 1`, or the name of a signal.
    pub exit: String,
    /// Its own last one, from its log.
    pub sentence: Option<String>,
}

impl HowEnded {
    pub fn reason(self, launch: &Launch) -> String {
        let (exit, program) = (self.exit, launch.program.display());
        if self.verdict.is_some() {
            return format!(
                "the agent ended ({exit}); what it was asked is lost, and not repeated"
            );
        }
        self.sentence
            .unwrap_or_else(|| format!("{program} ended ({exit}) before it said `ready`"))
    }
}

type SharedVerdict = Arc<OnceLock<Verdict>>;

pub struct Life {
    child: OwnedChild,
    verdict: SharedVerdict,
    output_ended: Latch,
    log_ended: Latch,
    last_sentence: LastSentence,
    context: LifeContext,
}

impl Life {
    /// Or the sentence that says why it can't be started.
    pub fn start(launch: &Launch, context: LifeContext) -> Result<Self, String> {
        let on_exit = context.clone();
        let (child, pipes) = OwnedChild::start(launch.to_command(), move || {
            (on_exit.tell)(LifeEvent::Ended)
        })
        .map_err(|error| format!("can't start {}: {error}", launch.program.display()))?;
        let life = Self {
            child,
            verdict: SharedVerdict::default(),
            output_ended: Latch::default(),
            log_ended: Latch::default(),
            last_sentence: LastSentence::default(),
            context,
        };
        let writer = LineWriter::start(pipes.input, &life.context.limits);
        life.context.relay.begin(life.context.number, writer);
        life.follow_output(pipes.output);
        life.follow_log(pipes.log);
        Ok(life)
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// None when it has not said `ready` yet.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict.get().cloned()
    }

    fn follow_output(&self, output: ChildStdout) {
        let (context, ended) = (self.context.clone(), self.output_ended.clone());
        let verdict = Arc::clone(&self.verdict);
        thread::spawn(move || {
            let mut noise = LogBudget::new(&context.limits, |text| {
                context.relay.sink.notice(text);
            });
            pump_lines(output, context.limits.line_bytes, |piece| {
                if let Err(notice) = take_line(&context, piece, &verdict) {
                    noise.print(&notice);
                }
            });
            noise.say_left_out();
            ended.set();
            (context.tell)(LifeEvent::Ended);
        });
    }

    fn follow_log(&self, log: std::process::ChildStderr) {
        let (context, ended) = (self.context.clone(), self.log_ended.clone());
        let last_sentence = self.last_sentence.clone();
        thread::spawn(move || {
            pass_on_log(log, &last_sentence, &context.limits, |line| {
                context.relay.sink.notice(line);
            });
            ended.set();
        });
    }

    /// Makes sure that it is gone, and that its last words were heard.
    pub fn end(self) -> HowEnded {
        let limits = &self.context.limits;
        drop(self.context.relay.take_writer());
        let exit = describe_exit(self.child.stop(limits));
        self.output_ended.wait(limits.flush);
        self.log_ended.wait(limits.flush);
        HowEnded {
            // Not before everything was read: the process may be gone before its greeting is.
            verdict: self.verdict.get().cloned(),
            exit,
            sentence: self.last_sentence.take(),
        }
    }
}

/// Or what is to be said of a line that is no response.
fn take_line(
    context: &LifeContext,
    piece: Piece<'_>,
    verdict: &SharedVerdict,
) -> Result<(), String> {
    let line = match piece {
        Piece::Line(line) => check_json(line)
            .map(|()| line)
            .map_err(|reason| describe_noise(&reason, line))?,
        Piece::Dropped { reason, head } => return Err(describe_noise(&reason, &head)),
    };
    match verdict.get() {
        Some(Ok(())) => context.relay.response(context.number, line),
        // One of another build has nothing to say to the page.
        Some(Err(_)) => {}
        None => take_before_greeting(context, line, verdict),
    }
    Ok(())
}

fn take_before_greeting(context: &LifeContext, line: &str, verdict: &SharedVerdict) {
    let greeting = read_greeting(line, &context.build);
    let judged = match &greeting {
        Greeting::None => return context.relay.response(context.number, line),
        Greeting::Ours => Ok(()),
        Greeting::OfAnotherBuild(sentence) => Err(sentence.clone()),
    };
    let _ = verdict.set(judged);
    if greeting == Greeting::Ours {
        context.relay.greet(context.number, line);
    }
    (context.tell)(LifeEvent::Greeted);
}

fn describe_noise(reason: &str, line: &str) -> String {
    // What would act on a terminal, or hide, is shown instead.
    let shown = line.chars().take(SHOWN_NOISE_CHARS);
    let head: String = shown.flat_map(char::escape_debug).collect();
    format!("a line from the agent is no response: {reason}: {head}")
}
