// How often the runtime has ended lately: how long to wait before the next start, and when to give up.

use std::time::{Duration, Instant};

use super::limits::Limits;

#[derive(Default)]
pub struct CrashCount {
    times: Vec<Instant>,
}

impl CrashCount {
    /// The wait before the next start, or the sentence that there will be none.
    pub fn note(
        &mut self,
        now: Instant,
        reason: &str,
        limits: &Limits,
    ) -> Result<Duration, String> {
        self.times
            .retain(|&time| now.duration_since(time) < limits.crash_window);
        self.times.push(now);
        let count = self.times.len();
        if count >= limits.crash_entries {
            let minutes = limits.crash_window.as_secs_f64() / 60.0;
            return Err(format!(
                "the agent ended {count} times within {minutes} minutes and is not started again; the last time: {reason}"
            ));
        }
        Ok(limits.restart * 2_u32.pow(count as u32 - 1))
    }

    pub fn forget(&mut self) {
        self.times.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_the_fifth_end_within_three_minutes_is_the_last() {
        let (limits, now, mut crashes) = (Limits::default(), Instant::now(), CrashCount::default());
        let waits: Vec<u128> = (0..4)
            .map(|_| crashes.note(now, "x", &limits).unwrap().as_millis())
            .collect();
        assert_eq!(waits, [250, 500, 1000, 2000]);
        let refusal = crashes.note(now, "exit code 1", &limits).unwrap_err();
        assert_eq!(
            refusal,
            "the agent ended 5 times within 3 minutes and is not started again; the last time: exit code 1"
        );
    }

    #[test]
    fn ends_are_forgotten_after_three_minutes() {
        let (limits, start, mut crashes) =
            (Limits::default(), Instant::now(), CrashCount::default());
        for minute in 0..20 {
            let now = start + Duration::from_secs(61 * minute);
            assert!(crashes.note(now, "x", &limits).is_ok());
        }
    }
}
