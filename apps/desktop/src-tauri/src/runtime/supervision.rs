// The loop behind the supervisor, in a thread of its own: start a runtime, follow it, and decide what its end
// means. Everything that happens reaches it as one queue of events.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::crash_count::CrashCount;
use super::launch::Launch;
use super::leftover::PidFile;
use super::life::{Life, LifeContext, LifeEvent};
use super::limits::Limits;
use super::relay::{Phase, Relay, Sink};

pub struct SupervisorOptions {
    /// Asked before every start, in a thread of its own: it may ask a keychain that does not answer.
    pub launch: Arc<dyn Fn() -> Result<Launch, String> + Send + Sync>,
    /// What a runtime's `ready` must name.
    pub build: String,
    pub pid_file: PidFile,
    pub sink: Arc<dyn Sink>,
    pub limits: Limits,
}

#[derive(Clone, Copy)]
pub enum Order {
    Restart,
    Stop,
}

pub enum Event {
    Order(Order),
    /// How the life of this number is to be started.
    Planned(u64, Result<Launch, String>),
    Life(u64, LifeEvent),
}

/// How a life came to its end.
enum End {
    Ordered(Order),
    /// Is not tried again.
    Failed(String),
    /// Is tried again.
    Lost(String),
}

pub struct Supervision {
    options: SupervisorOptions,
    relay: Arc<Relay>,
    sender: Sender<Event>,
    received: Receiver<Event>,
    crashes: CrashCount,
    number: u64,
    has_run: bool,
}

impl Supervision {
    pub fn new(
        options: SupervisorOptions,
        relay: Arc<Relay>,
        sender: Sender<Event>,
        received: Receiver<Event>,
    ) -> Self {
        Self {
            options,
            relay,
            sender,
            received,
            crashes: CrashCount::default(),
            number: 0,
            has_run: false,
        }
    }

    /// Until it is told to stop.
    pub fn run(&mut self) {
        if let Some(pid) = self.options.pid_file.end_leftover(&self.options.limits) {
            self.options.sink.notice(&was_left_behind(pid));
        }
        loop {
            let order = match self.live() {
                End::Ordered(order) => Some(order),
                End::Failed(message) => self.give_up(message),
                End::Lost(reason) => self.wait_after(reason),
            };
            match order {
                Some(Order::Stop) => return,
                Some(Order::Restart) => {
                    if self.is_stop_waiting() {
                        return;
                    }
                    self.crashes.forget();
                    self.has_run = false;
                }
                None => {}
            }
        }
    }

    /// Of several orders that came meanwhile one start is enough; everything else that waits is of a life
    /// that is over.
    fn is_stop_waiting(&self) -> bool {
        self.received
            .try_iter()
            .any(|event| matches!(event, Event::Order(Order::Stop)))
    }

    fn give_up(&mut self, message: String) -> Option<Order> {
        self.relay.tell(Phase::Failed, Some(message));
        self.wait_for_order(None)
    }

    fn wait_after(&mut self, reason: String) -> Option<Order> {
        let limits = &self.options.limits;
        match self.crashes.note(Instant::now(), &reason, limits) {
            Err(message) => self.give_up(message),
            Ok(wait) => {
                self.relay.tell(Phase::Restarting, Some(reason));
                self.wait_for_order(Some(wait))
            }
        }
    }

    fn wait_for_order(&self, limit: Option<Duration>) -> Option<Order> {
        let until = limit.map(|limit| Instant::now() + limit);
        loop {
            if let Event::Order(order) = self.next_event(until)? {
                self.tell_order(order);
                return Some(order);
            }
        }
    }

    /// None when it is too late.
    fn next_event(&self, until: Option<Instant>) -> Option<Event> {
        let Some(until) = until else {
            return self.received.recv().ok();
        };
        let limit = until.saturating_duration_since(Instant::now());
        self.received.recv_timeout(limit).ok()
    }

    fn tell_order(&self, order: Order) {
        if let Order::Restart = order {
            let message = "the agent is started again, with the new settings".to_owned();
            self.relay.tell(Phase::Restarting, Some(message));
        }
    }

    /// An order does not wait for it.
    fn plan(&self) -> Result<Launch, End> {
        let (plan, events) = (Arc::clone(&self.options.launch), self.sender.clone());
        let number = self.number;
        thread::spawn(move || events.send(Event::Planned(number, plan())));
        loop {
            match self.received.recv() {
                Ok(Event::Planned(number, launch)) if number == self.number => {
                    return launch.map_err(End::Failed);
                }
                Ok(Event::Order(order)) => {
                    self.tell_order(order);
                    return Err(End::Ordered(order));
                }
                Ok(_) => {}
                Err(_) => return Err(End::Ordered(Order::Stop)),
            }
        }
    }

    fn live(&mut self) -> End {
        self.number += 1;
        let launch = match self.plan() {
            Ok(launch) => launch,
            Err(end) => return end,
        };
        let life = match Life::start(&launch, self.context()) {
            Ok(life) => life,
            Err(reason) => return self.lost(reason),
        };
        if let Err(problem) = self.options.pid_file.write(life.process_id()) {
            self.options.sink.notice(&problem);
        }
        let end = self.follow(life, &launch);
        self.options.pid_file.remove();
        end
    }

    fn context(&self) -> LifeContext {
        let (number, events) = (self.number, self.sender.clone());
        LifeContext {
            number,
            relay: Arc::clone(&self.relay),
            // A supervision that has ended needs to know nothing.
            tell: Arc::new(move |event| drop(events.send(Event::Life(number, event)))),
            build: self.options.build.clone(),
            limits: self.options.limits.clone(),
        }
    }

    fn follow(&mut self, life: Life, launch: &Launch) -> End {
        let mut ready_until = Some(Instant::now() + self.options.limits.ready);
        loop {
            match self.next_event(ready_until) {
                Some(Event::Life(number, event)) if number == self.number => match event {
                    LifeEvent::Greeted => match life.verdict() {
                        Some(Err(message)) => {
                            self.end_quietly(life);
                            return End::Failed(message);
                        }
                        _ => ready_until = None,
                    },
                    LifeEvent::Ended => return self.end_of(life, launch),
                },
                Some(Event::Life(..) | Event::Planned(..)) => {}
                Some(Event::Order(order)) => {
                    self.relay.retire();
                    self.tell_order(order);
                    self.end_quietly(life);
                    return End::Ordered(order);
                }
                None => {
                    self.end_quietly(life);
                    return self.lost(not_ready(launch, &self.options.limits));
                }
            }
        }
    }

    /// It has ended by itself, and may have said something before.
    fn end_of(&mut self, life: Life, launch: &Launch) -> End {
        let how = life.end();
        self.relay.retire();
        match &how.verdict {
            Some(Err(message)) => return End::Failed(message.clone()),
            Some(Ok(())) => self.has_run = true,
            None => {}
        }
        self.lost(how.reason(launch))
    }

    /// Nothing that it still says is for the page.
    fn end_quietly(&self, life: Life) {
        self.relay.retire();
        life.end();
    }

    fn lost(&self, reason: String) -> End {
        if self.has_run {
            End::Lost(reason)
        } else {
            End::Failed(reason)
        }
    }
}

fn not_ready(launch: &Launch, limits: &Limits) -> String {
    let (program, limit) = (launch.program.display(), limits.ready.as_millis());
    format!("{program} did not say `ready` within {limit} ms; it was stopped")
}

fn was_left_behind(pid: u32) -> String {
    format!("an agent that an earlier app left behind (process {pid}) was ended")
}
