// Keys of vendors: in the system's keychain where there is one, else in the environment that the app was
// started with, else in a file for this user only. A key leaves here for the runtime's environment and for
// nothing else; no sentence ever contains one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::keychain::{Keychain, KeychainProblem};
use crate::locked::locked;
use crate::private_file::{read_private, write_private};

#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Vendor {
    Anthropic,
    Openai,
}

pub const VENDORS: [Vendor; 2] = [Vendor::Anthropic, Vendor::Openai];

impl Vendor {
    /// Also its name in the keychain.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Openai => "OPENAI_API_KEY",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum KeySource {
    Keychain,
    Environment,
    File,
    None,
}

type Environment = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;
type KeyFile = BTreeMap<Vendor, String>;
const MAX_KEY_BYTES: usize = 4_096;

pub struct Keys {
    keychain: Box<dyn Keychain>,
    environment: Environment,
    path: PathBuf,
    /// One change of the file at a time.
    file: Mutex<()>,
    /// What the last runtime got.
    handed_over: Mutex<Vec<(String, String)>>,
}

impl Keys {
    pub fn new(
        keychain: Box<dyn Keychain>,
        environment: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
        path: PathBuf,
    ) -> Self {
        Self {
            keychain,
            environment: Box::new(environment),
            path,
            file: Mutex::default(),
            handed_over: Mutex::default(),
        }
    }

    /// Where the key comes from; a keychain or a file that can't be read has none.
    fn find(&self, vendor: Vendor) -> (KeySource, String) {
        let name = vendor.variable();
        if let Some(key) = usable(self.keychain.get(name).unwrap_or_default()) {
            return (KeySource::Keychain, key);
        }
        if let Some(key) = usable((self.environment)(name)) {
            return (KeySource::Environment, key);
        }
        let mut file = self.read_file().unwrap_or_default();
        match usable(file.remove(&vendor)) {
            Some(key) => (KeySource::File, key),
            None => (KeySource::None, String::new()),
        }
    }

    pub fn sources(&self) -> BTreeMap<Vendor, KeySource> {
        VENDORS.map(|vendor| (vendor, self.find(vendor).0)).into()
    }

    /// For a runtime that is about to be started.
    pub fn hand_over(&self) -> Vec<(String, String)> {
        // Not let go while they are looked for: a key that is set meanwhile must not count as known.
        let mut handed_over = locked(&self.handed_over);
        *handed_over = self.to_environment();
        handed_over.clone()
    }

    /// Whether a runtime that was started now would get others than the last one got. A keychain may have been
    /// opened since, or changed by another program: what it had when a key was set says nothing of that.
    pub fn has_news(&self) -> bool {
        let handed_over = locked(&self.handed_over);
        *handed_over != self.to_environment()
    }

    pub fn to_environment(&self) -> Vec<(String, String)> {
        let found = VENDORS.map(|vendor| (vendor.variable().to_owned(), self.find(vendor).1));
        found
            .into_iter()
            .filter(|(_, key)| !key.is_empty())
            .collect()
    }

    /// An empty key removes what the app keeps; the environment is not its own.
    pub fn set(&self, vendor: Vendor, key: &str) -> Result<(), String> {
        let key = key.trim();
        if key.is_empty() {
            return self.remove(vendor);
        }
        if key.len() > MAX_KEY_BYTES || !key.chars().all(|char| char.is_ascii_graphic()) {
            return Err("this is no key: it has spaces or other characters that no key has".into());
        }
        let name = vendor.variable();
        let problem = match self.keychain.set(name, key) {
            Ok(()) => return self.change_file(|file| drop(file.remove(&vendor))),
            // Opened again, it would come before a file.
            Err(KeychainProblem::Locked(problem)) => return Err(problem),
            Err(KeychainProblem::Missing(problem)) => problem,
        };
        // One that can be read is there: what it has would count, and no file.
        if self.keychain.get(name).is_ok() {
            return Err(problem);
        }
        if usable((self.environment)(name)).is_some() {
            return Err(format!(
                "there is no keychain, and {name} in the environment comes before a file: change it there"
            ));
        }
        self.change_file(|file| drop(file.insert(vendor, key.to_owned())))
    }

    /// From everywhere, or it would be back one day.
    fn remove(&self, vendor: Vendor) -> Result<(), String> {
        let in_file = self.change_file(|file| drop(file.remove(&vendor)));
        self.remove_from_keychain(vendor.variable())?;
        in_file
    }

    fn remove_from_keychain(&self, name: &str) -> Result<(), String> {
        let removed = match self.keychain.get(name) {
            Ok(Some(_)) => self.keychain.remove(name),
            Ok(None) | Err(KeychainProblem::Missing(_)) => Ok(()),
            Err(problem) => Err(problem),
        };
        removed.map_err(|problem| match problem {
            KeychainProblem::Missing(sentence) | KeychainProblem::Locked(sentence) => sentence,
        })
    }

    fn read_file(&self) -> Result<KeyFile, String> {
        let text = read_private(&self.path)?;
        // The parser's own words would quote the text.
        let broken = |_| format!("{} is not what this app wrote", self.path.display());
        text.map_or(Ok(KeyFile::new()), |text| {
            serde_json::from_str(&text).map_err(broken)
        })
    }

    fn change_file(&self, change: impl FnOnce(&mut KeyFile)) -> Result<(), String> {
        let _guard = locked(&self.file);
        let old = self.read_file()?;
        let mut new = old.clone();
        change(&mut new);
        if new == old {
            return Ok(());
        }
        let text = serde_json::to_string(&new).expect("keys are plain JSON");
        write_private(&self.path, text.as_bytes())
    }
}

/// What is set to nothing is not set.
fn usable(key: Option<String>) -> Option<String> {
    key.map(|key| key.trim().to_owned())
        .filter(|key| !key.is_empty())
}
