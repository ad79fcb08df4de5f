// A lock that is taken also after a thread panicked while it had it: what it guards is whole at any moment.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
