// Which Node runs the runtime: the one that the user named, the one that comes with the app, or the first in
// the PATH that is new enough.

use std::ffi::OsString;
use std::io::{Read, read_to_string};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use super::app_image;
use super::process::signal_group;

const OLDEST: (u32, u32) = (22, 13);
/// A `node` that does not even say its version is passed over.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
const MAX_VERSION_BYTES: u64 = 1_024;

/// Or the sentence that says what to install.
pub fn find_node(
    named: Option<&Path>,
    runtime_folder: &Path,
    search_path: Option<OsString>,
) -> Result<PathBuf, String> {
    if let Some(node) = named {
        return if node.is_file() {
            Ok(node.to_owned())
        } else {
            Err(format!(
                "there is no Node at {}, which the settings name",
                node.display()
            ))
        };
    }
    let bundled = runtime_folder.join("node");
    if bundled.is_file() {
        return Ok(bundled);
    }
    find_in_path(&search_path.unwrap_or_default())
}

fn find_in_path(search_path: &std::ffi::OsStr) -> Result<PathBuf, String> {
    let mut too_old = None;
    // A relative entry would mean whatever folder the app was started in.
    for folder in std::env::split_paths(search_path).filter(|folder| folder.is_absolute()) {
        let node = folder.join("node");
        let Some(version) = node.is_file().then(|| version_of(&node)).flatten() else {
            continue;
        };
        if version >= OLDEST {
            return Ok(node);
        }
        too_old.get_or_insert(format!("{}.{}", version.0, version.1));
    }
    let found = too_old.map_or("there is none".to_owned(), |version| {
        format!("there is only {version}")
    });
    let (major, minor) = OLDEST;
    Err(format!(
        "the agent needs Node {major}.{minor} or newer and {found} in the PATH; install it from https://nodejs.org"
    ))
}

fn version_of(node: &Path) -> Option<(u32, u32)> {
    let mut command = Command::new(node);
    app_image::leave(&mut command);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.process_group(0).spawn().ok()?;
    let output = child.stdout.take().expect("stdout is a pipe");
    let (answer, answers) = channel();
    thread::spawn(move || answer.send(read_to_string(output.take(MAX_VERSION_BYTES))));
    let text = answers.recv_timeout(ANSWER_LIMIT);
    // One that hangs is not left behind, nor what it has started.
    signal_group(child.id(), Signal::KILL);
    let _ = child.wait();
    parse_version(&text.ok()?.ok()?)
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text
        .trim()
        .strip_prefix('v')?
        .split('.')
        .map(str::parse::<u32>);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}
