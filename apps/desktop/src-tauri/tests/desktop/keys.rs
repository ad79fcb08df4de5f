// Keys: from the keychain, else the environment, else a file; and never anywhere else.

use std::collections::HashMap;
use std::fs::{metadata, read_to_string, write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hawser_desktop::settings::keychain::{Keychain, KeychainProblem};
use hawser_desktop::settings::keys::{KeySource, Keys, Vendor};

/// None when there is no keychain.
type Kept = Arc<Mutex<Option<HashMap<String, String>>>>;

struct FakeKeychain(Kept);

impl FakeKeychain {
    fn with<T>(
        &self,
        use_it: impl FnOnce(&mut HashMap<String, String>) -> T,
    ) -> Result<T, KeychainProblem> {
        let mut kept = self.0.lock().unwrap();
        kept.as_mut()
            .map(use_it)
            .ok_or(KeychainProblem::Missing("there is no keychain".into()))
    }
}

impl Keychain for FakeKeychain {
    fn get(&self, account: &str) -> Result<Option<String>, KeychainProblem> {
        self.with(|kept| kept.get(account).cloned())
    }

    fn set(&self, account: &str, secret: &str) -> Result<(), KeychainProblem> {
        self.with(|kept| drop(kept.insert(account.into(), secret.into())))
    }

    fn remove(&self, account: &str) -> Result<(), KeychainProblem> {
        self.with(|kept| drop(kept.remove(account)))
    }
}

struct Setup {
    keys: Keys,
    kept: Kept,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

fn set_up(has_keychain: bool, environment: &'static [(&str, &str)]) -> Setup {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app/keys.json");
    let kept: Kept = Arc::new(Mutex::new(has_keychain.then(HashMap::new)));
    let look_up = |name: &str| {
        let found = environment.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let keychain = Box::new(FakeKeychain(Arc::clone(&kept)));
    let keys = Keys::new(keychain, look_up, path.clone());
    Setup {
        keys,
        kept,
        path,
        _folder: folder,
    }
}

impl Setup {
    fn source(&self) -> KeySource {
        self.keys.sources()[&Vendor::Anthropic]
    }

    fn key(&self) -> Option<String> {
        let found = self.keys.to_environment().into_iter();
        found
            .filter(|(name, _)| name == "ANTHROPIC_API_KEY")
            .map(|(_, key)| key)
            .next()
    }
}

#[test]
fn a_key_goes_into_the_keychain_and_comes_before_the_environment() {
    let setup = set_up(true, &[("ANTHROPIC_API_KEY", "from-environment")]);
    assert_eq!(setup.source(), KeySource::Environment);
    setup
        .keys
        .set(Vendor::Anthropic, "  from-keychain ")
        .unwrap();
    assert_eq!(setup.source(), KeySource::Keychain);
    assert_eq!(setup.key().as_deref(), Some("from-keychain"));
    assert!(!setup.path.exists());
    setup.keys.set(Vendor::Anthropic, "").unwrap();
    assert_eq!(setup.key().as_deref(), Some("from-environment"));
}

#[test]
fn without_a_keychain_the_environment_comes_before_the_file() {
    let setup = set_up(
        false,
        &[
            ("ANTHROPIC_API_KEY", "from-environment"),
            ("OPENAI_API_KEY", " "),
        ],
    );
    setup.keys.set(Vendor::Openai, "other").unwrap();
    write(
        &setup.path,
        r#"{"anthropic": "from-file", "openai": "other"}"#,
    )
    .unwrap();
    assert_eq!(setup.source(), KeySource::Environment);
    assert_eq!(setup.keys.sources()[&Vendor::Openai], KeySource::File);
    // Saved, it would have no effect.
    let refusal = setup.keys.set(Vendor::Anthropic, "another").unwrap_err();
    assert!(
        refusal.contains("ANTHROPIC_API_KEY in the environment"),
        "{refusal}"
    );
    assert!(!read_to_string(&setup.path).unwrap().contains("another"));
}

/// One that is open for reading only.
struct ReadOnlyKeychain;

impl Keychain for ReadOnlyKeychain {
    fn get(&self, _: &str) -> Result<Option<String>, KeychainProblem> {
        Ok(Some("old".into()))
    }

    fn set(&self, _: &str, _: &str) -> Result<(), KeychainProblem> {
        Err(KeychainProblem::Missing(
            "the keychain can't be used: it is for reading".into(),
        ))
    }

    fn remove(&self, _: &str) -> Result<(), KeychainProblem> {
        Err(KeychainProblem::Missing(
            "the keychain can't be used: it is for reading".into(),
        ))
    }
}

#[test]
fn a_keychain_that_can_be_read_and_not_written_is_told_and_no_file_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let keys = Keys::new(Box::new(ReadOnlyKeychain), |_| None, path.clone());
    let sentence = "the keychain can't be used: it is for reading";
    assert_eq!(keys.set(Vendor::Openai, "new").unwrap_err(), sentence);
    assert_eq!(keys.set(Vendor::Openai, "").unwrap_err(), sentence);
    assert!(!path.exists());
}

/// One that is there, with a key in it, and that nobody opens.
struct LockedKeychain;

const LOCKED: &str = "the keychain is locked";

impl Keychain for LockedKeychain {
    fn get(&self, _: &str) -> Result<Option<String>, KeychainProblem> {
        Err(KeychainProblem::Locked(LOCKED.into()))
    }

    fn set(&self, _: &str, _: &str) -> Result<(), KeychainProblem> {
        Err(KeychainProblem::Locked(LOCKED.into()))
    }

    fn remove(&self, _: &str) -> Result<(), KeychainProblem> {
        Err(KeychainProblem::Locked(LOCKED.into()))
    }
}

#[test]
fn a_keychain_that_is_locked_is_told_and_neither_a_file_nor_a_removal_is_pretended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let keys = Keys::new(Box::new(LockedKeychain), |_| None, path.clone());
    assert_eq!(keys.set(Vendor::Openai, "new").unwrap_err(), LOCKED);
    assert!(!path.exists());
    // What an earlier app has kept in a file is gone all the same.
    write(&path, r#"{"openai": "from-file"}"#).unwrap();
    assert_eq!(keys.sources()[&Vendor::Openai], KeySource::File);
    assert_eq!(keys.set(Vendor::Openai, "").unwrap_err(), LOCKED);
    assert_eq!(keys.sources()[&Vendor::Openai], KeySource::None);
}

#[test]
fn what_a_keychain_got_since_the_runtime_was_started_is_news_even_when_the_same_key_is_set_again() {
    let setup = set_up(true, &[]);
    assert_eq!(setup.keys.hand_over(), []);
    assert!(!setup.keys.has_news());
    // By another program, or because the keychain was opened.
    let mut kept = setup.kept.lock().unwrap();
    let _ = kept.insert(HashMap::from([("ANTHROPIC_API_KEY".into(), "key".into())]));
    drop(kept);
    setup.keys.set(Vendor::Anthropic, "key").unwrap();
    assert!(setup.keys.has_news());
    assert_eq!(setup.keys.hand_over().len(), 1);
    setup.keys.set(Vendor::Anthropic, "key").unwrap();
    assert!(!setup.keys.has_news());
}

/// When a gate is put there: says that it was asked, and waits, with an answer that was true before.
type Gate = Arc<Mutex<Option<(Sender<()>, Receiver<()>)>>>;

struct SlowKeychain(FakeKeychain, Gate);

impl Keychain for SlowKeychain {
    fn get(&self, account: &str) -> Result<Option<String>, KeychainProblem> {
        let found = self.0.get(account);
        let gate = self.1.lock().unwrap().take();
        if let Some((asked, answer)) = gate {
            asked.send(()).unwrap();
            let _ = answer.recv();
        }
        found
    }

    fn set(&self, account: &str, secret: &str) -> Result<(), KeychainProblem> {
        self.0.set(account, secret)
    }

    fn remove(&self, account: &str) -> Result<(), KeychainProblem> {
        self.0.remove(account)
    }
}

#[test]
fn a_key_that_is_set_while_a_runtime_gets_another_one_is_news_even_if_the_one_before_had_it() {
    let folder = tempfile::tempdir().unwrap();
    let (kept, gate): (Kept, Gate) = (Arc::new(Mutex::new(Some(HashMap::new()))), Gate::default());
    let keychain = SlowKeychain(FakeKeychain(Arc::clone(&kept)), Arc::clone(&gate));
    let keys = Keys::new(Box::new(keychain), |_| None, folder.path().join("keys"));
    keys.set(Vendor::Anthropic, "mine").unwrap();
    keys.hand_over();
    // Another program has changed it when the next runtime is started.
    let changed = HashMap::from([("ANTHROPIC_API_KEY".into(), "other".into())]);
    let _ = kept.lock().unwrap().insert(changed);
    let ((asked, is_asked), (answer, answers)) = (channel(), channel());
    *gate.lock().unwrap() = Some((asked, answers));
    let (news, handed_over) = std::thread::scope(|scope| {
        let handed_over = scope.spawn(|| keys.hand_over());
        is_asked.recv().unwrap();
        keys.set(Vendor::Anthropic, "mine").unwrap();
        let news = scope.spawn(|| keys.has_news());
        std::thread::sleep(Duration::from_millis(200));
        answer.send(()).unwrap();
        (news.join().unwrap(), handed_over.join().unwrap())
    });
    assert_eq!(handed_over[0].1, "other");
    assert!(news);
}

#[test]
fn without_both_a_file_for_this_user_only_keeps_it() {
    let setup = set_up(false, &[]);
    assert_eq!((setup.source(), setup.key()), (KeySource::None, None));
    setup.keys.set(Vendor::Anthropic, "from-file").unwrap();
    assert_eq!(setup.source(), KeySource::File);
    assert_eq!(setup.key().as_deref(), Some("from-file"));
    assert_eq!(
        metadata(&setup.path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    setup.keys.set(Vendor::Anthropic, "").unwrap();
    assert_eq!(setup.source(), KeySource::None);
    assert!(!read_to_string(&setup.path).unwrap().contains("from-file"));
}

#[test]
fn a_key_that_moves_into_the_keychain_leaves_the_file() {
    let setup = set_up(false, &[]);
    setup.keys.set(Vendor::Anthropic, "old").unwrap();
    *setup.kept.lock().unwrap() = Some(HashMap::new());
    setup.keys.set(Vendor::Anthropic, "new").unwrap();
    assert_eq!(setup.source(), KeySource::Keychain);
    assert!(!read_to_string(&setup.path).unwrap().contains("old"));
}

#[test]
fn what_is_no_key_is_refused_and_no_sentence_repeats_it() {
    let setup = set_up(false, &[]);
    for key in ["two words", "line\nfeed", "schlüssel", &"x".repeat(5_000)] {
        let refusal = setup.keys.set(Vendor::Openai, key).unwrap_err();
        assert!(!refusal.contains(key));
    }
    assert!(!setup.path.exists());
    setup.keys.set(Vendor::Openai, "secret").unwrap();
    write(&setup.path, "{\"openai\": secret").unwrap();
    let refusal = setup.keys.set(Vendor::Openai, "secret").unwrap_err();
    assert!(refusal.ends_with("keys.json is not what this app wrote"));
    assert_eq!(setup.keys.to_environment(), []);
}
