// Keeps a runtime running. One that ends without being asked to is started again, after a wait that grows,
// until it has ended too often in too short a time; one that never ran well, or is of another build, is a
// mistake to be told and not to be repeated. Nothing is sent twice. When `stop` returns, its process is gone.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::relay::Relay;
pub use super::supervision::SupervisorOptions;
use super::supervision::{Event, Order, Supervision};

pub struct Supervisor {
    pub relay: Arc<Relay>,
    events: Sender<Event>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Supervisor {
    pub fn start(options: SupervisorOptions) -> Self {
        let (events, received) = channel();
        let relay = Arc::new(Relay::new(Arc::clone(&options.sink)));
        let mut supervision =
            Supervision::new(options, Arc::clone(&relay), events.clone(), received);
        let thread = Mutex::new(Some(thread::spawn(move || supervision.run())));
        Self {
            relay,
            events,
            thread,
        }
    }

    /// Ends the present runtime and starts another, with what the settings now say.
    pub fn restart(&self) {
        let _ = self.events.send(Event::Order(Order::Restart));
    }

    /// Returns when the runtime is gone; at once if it is.
    pub fn stop(&self) {
        let _ = self.events.send(Event::Order(Order::Stop));
        let thread = self.thread.lock().map_or(None, |mut thread| thread.take());
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}
