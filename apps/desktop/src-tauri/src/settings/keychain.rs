// The operating system's keychain, behind three verbs. There may be none, or one that waits for a password
// that nobody enters: after a while it counts as not there, until the app is started again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use keyring::{Entry, Error};

/// The error of each is a sentence: there is no keychain that can be used.
pub trait Keychain: Send + Sync {
    fn get(&self, account: &str) -> Result<Option<String>, String>;
    fn set(&self, account: &str, secret: &str) -> Result<(), String>;
    fn remove(&self, account: &str) -> Result<(), String>;
}

const SERVICE: &str = "dev.hawser.desktop";
/// Enough to enter a password that unlocks it.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

#[derive(Default)]
pub struct SystemKeychain {
    is_given_up: AtomicBool,
}

impl SystemKeychain {
    fn ask<T: Send + 'static>(
        &self,
        account: &str,
        question: impl FnOnce(Entry) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, String> {
        if self.is_given_up.load(Ordering::Acquire) {
            return Err("the keychain did not answer before".into());
        }
        let account = account.to_owned();
        let (answer, answers) = channel();
        thread::spawn(move || answer.send(Entry::new(SERVICE, &account).and_then(question)));
        match answers.recv_timeout(ANSWER_LIMIT) {
            Ok(answer) => answer.map_err(|error| format!("the keychain can't be used: {error}")),
            Err(_) => {
                self.is_given_up.store(true, Ordering::Release);
                Err("the keychain does not answer".into())
            }
        }
    }
}

impl Keychain for SystemKeychain {
    fn get(&self, account: &str) -> Result<Option<String>, String> {
        self.ask(account, |entry| match entry.get_password() {
            Err(Error::NoEntry) => Ok(None),
            answer => answer.map(Some),
        })
    }

    fn set(&self, account: &str, secret: &str) -> Result<(), String> {
        let secret = secret.to_owned();
        self.ask(account, move |entry| entry.set_password(&secret))
    }

    fn remove(&self, account: &str) -> Result<(), String> {
        self.ask(account, |entry| match entry.delete_credential() {
            Err(Error::NoEntry) => Ok(()),
            answer => answer,
        })
    }
}
