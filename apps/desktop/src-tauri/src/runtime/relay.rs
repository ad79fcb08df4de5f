// Between the page and whichever runtime there is. It keeps the present state and the last `ready` for a page
// that comes later, lets the lines of the present runtime through and those of earlier ones not, and refuses
// requests while there is none. States and responses leave in the order in which they came about.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::line_writer::{LineWriter, Refusal};

/// Where everything for the page goes. Called from several threads: responses and states one at a time and in
/// order, the rest at any moment.
pub trait Sink: Send + Sync + 'static {
    /// A line that is JSON.
    fn response(&self, line: &str);
    fn state(&self, state: &RuntimeState);
    /// For people who look for a mistake; not for the page.
    fn notice(&self, text: &str);
    /// After a line of that many bytes: returns when the page has caught up, or is not expected to.
    fn keep_pace(&self, _bytes: usize) {}
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    Starting,
    Running,
    Restarting,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuntimeState {
    pub runtime: Phase,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

struct Present {
    /// Counts the runtimes; a line of another one is too late.
    life: u64,
    writer: Option<LineWriter>,
    state: RuntimeState,
    ready: Option<String>,
}

pub struct Relay {
    pub sink: Arc<dyn Sink>,
    present: Mutex<Present>,
}

impl Relay {
    pub fn new(sink: Arc<dyn Sink>) -> Self {
        let state = RuntimeState {
            runtime: Phase::Starting,
            message: None,
        };
        let present = Mutex::new(Present {
            life: 0,
            writer: None,
            state,
            ready: None,
        });
        Self { sink, present }
    }

    fn present(&self) -> MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn begin(&self, life: u64, writer: LineWriter) {
        let mut present = self.present();
        present.life = life;
        present.writer = Some(writer);
    }

    /// No further request; dropping what is returned ends the runtime's input.
    pub fn take_writer(&self) -> Option<LineWriter> {
        self.present().writer.take()
    }

    /// Nothing passes to or from the present runtime any more; its input ends.
    pub fn retire(&self) {
        let mut present = self.present();
        present.life = 0;
        present.writer = None;
        present.ready = None;
    }

    pub fn tell(&self, runtime: Phase, message: Option<String>) {
        let mut present = self.present();
        present.state = RuntimeState { runtime, message };
        self.sink.state(&present.state);
    }

    pub fn greet(&self, life: u64, line: &str) {
        let mut present = self.present();
        if present.life != life {
            return;
        }
        present.state = RuntimeState {
            runtime: Phase::Running,
            message: None,
        };
        present.ready = Some(line.to_owned());
        self.sink.state(&present.state);
        self.sink.response(line);
    }

    pub fn response(&self, life: u64, line: &str) {
        let present = self.present();
        if present.life == life {
            self.sink.response(line);
        }
        drop(present);
        self.sink.keep_pace(line.len());
    }

    /// Everything that a page which has just begun to listen must know.
    pub fn repeat(&self) {
        let present = self.present();
        self.sink.state(&present.state);
        if let Some(line) = &present.ready {
            self.sink.response(line);
        }
    }

    pub fn phase(&self) -> Phase {
        self.present().state.runtime
    }

    pub fn send(&self, line: &str) -> Result<(), Refusal> {
        let present = self.present();
        let missing = match (&present.writer, present.state.runtime) {
            (Some(writer), _) => return writer.send(line),
            (None, Phase::Failed) => "the agent is not running",
            (None, Phase::Starting) => "the agent is still being started",
            (None, _) => "the agent has ended; it is being started again",
        };
        Err(Refusal::new("connection_lost", missing))
    }
}
