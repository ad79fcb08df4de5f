// Something that happens once, and can be waited for, with a limit, by as many threads as like.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

#[derive(Clone, Default)]
pub struct Latch(Arc<(Mutex<bool>, Condvar)>);

impl Latch {
    pub fn set(&self) {
        let (happened, change) = &*self.0;
        *happened.lock().unwrap_or_else(PoisonError::into_inner) = true;
        change.notify_all();
    }

    /// Whether it happened within that time.
    pub fn wait(&self, limit: Duration) -> bool {
        let (happened, change) = &*self.0;
        let guard = happened.lock().unwrap_or_else(PoisonError::into_inner);
        let (guard, _) = change
            .wait_timeout_while(guard, limit, |happened| !*happened)
            .unwrap_or_else(PoisonError::into_inner);
        *guard
    }
}
