// The operating system's keychain, behind three verbs. There may be none, or one that waits for a password
// that nobody enters: after a while it counts as not there, until the app is started again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use keyring::{Entry, Error};

/// Why it did not do what it was asked to; both with a sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum KeychainProblem {
    /// There is none that can be used: another place has to do.
    Missing(String),
    /// There is one, and nobody opened it: what it keeps counts again as soon as somebody does.
    Locked(String),
}

pub trait Keychain: Send + Sync {
    fn get(&self, account: &str) -> Result<Option<String>, KeychainProblem>;
    fn set(&self, account: &str, secret: &str) -> Result<(), KeychainProblem>;
    fn remove(&self, account: &str) -> Result<(), KeychainProblem>;
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
    ) -> Result<T, KeychainProblem> {
        let missing = |sentence: &str| Err(KeychainProblem::Missing(sentence.into()));
        if self.is_given_up.load(Ordering::Acquire) {
            return missing("the keychain did not answer before");
        }
        let account = account.to_owned();
        let (answer, answers) = channel();
        thread::spawn(move || answer.send(Entry::new(SERVICE, &account).and_then(question)));
        match answers.recv_timeout(ANSWER_LIMIT) {
            Ok(answer) => answer.map_err(to_problem),
            Err(_) => {
                self.is_given_up.store(true, Ordering::Release);
                missing("the keychain does not answer")
            }
        }
    }
}

fn to_problem(error: Error) -> KeychainProblem {
    match error {
        Error::NoStorageAccess(_) => {
            KeychainProblem::Locked("the keychain is locked: open it, and try again".into())
        }
        error => KeychainProblem::Missing(format!("the keychain can't be used: {error}")),
    }
}

impl Keychain for SystemKeychain {
    fn get(&self, account: &str) -> Result<Option<String>, KeychainProblem> {
        self.ask(account, |entry| match entry.get_password() {
            Err(Error::NoEntry) => Ok(None),
            answer => answer.map(Some),
        })
    }

    fn set(&self, account: &str, secret: &str) -> Result<(), KeychainProblem> {
        let secret = secret.to_owned();
        self.ask(account, move |entry| entry.set_password(&secret))
    }

    fn remove(&self, account: &str) -> Result<(), KeychainProblem> {
        self.ask(account, |entry| match entry.delete_credential() {
            Err(Error::NoEntry) => Ok(()),
            answer => answer,
        })
    }
}
