// Why a runtime is not running any more, in a sentence.

use super::launch::Launch;
use super::limits::Limits;

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

pub fn not_ready(launch: &Launch, limits: &Limits) -> String {
    let (program, limit) = (launch.program.display(), limits.ready.as_millis());
    format!("{program} did not say `ready` within {limit} ms; it was stopped")
}

pub fn was_left_behind(pid: u32) -> String {
    format!("an agent that an earlier app left behind (process {pid}) was ended")
}
