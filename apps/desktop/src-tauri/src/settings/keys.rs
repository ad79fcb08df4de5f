// Keys of vendors: in the system's keychain where there is one, else in the environment that the app was
// started with, else in a file for this user only. A key leaves here for the runtime's environment and for
// nothing else; no sentence ever contains one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::keychain::Keychain;
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
            file: Mutex::new(()),
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

    /// What the runtime gets.
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
        let Err(problem) = self.keychain.set(name, key) else {
            return self.change_file(|file| drop(file.remove(&vendor)));
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

    fn remove(&self, vendor: Vendor) -> Result<(), String> {
        let name = vendor.variable();
        if self.keychain.get(name).unwrap_or_default().is_some() {
            self.keychain.remove(name)?;
        }
        self.change_file(|file| drop(file.remove(&vendor)))
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
        let _guard = self.file.lock().unwrap_or_else(PoisonError::into_inner);
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
