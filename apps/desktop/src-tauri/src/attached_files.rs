// Files that are attached on the page. It has no paths, and the runtime reads only paths: so they are kept in a
// private folder of this launch, which the runtime may read, and which is removed with it. Bounded in size, each
// and together, as in the web shell. Nothing is ever written over.

use std::fs::{read_dir, remove_dir_all};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::private_file::write_private;
use crate::runtime::process::start_mark;

const FILE_BYTES: usize = 10_485_760;
const FILES_BYTES: usize = 268_435_456;
const NAME_BYTES: usize = 200;

pub struct AttachedFiles {
    folder: PathBuf,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    bytes: usize,
    /// Each file gets a folder with its number, and keeps its name.
    number: u64,
    is_over: bool,
}

impl AttachedFiles {
    /// `parent` has a folder for each launch, which carries the process that it belongs to in its name.
    pub fn new(parent: &Path) -> Self {
        let id = std::process::id();
        let name = to_folder_name(id, &start_mark(id).unwrap_or_default());
        Self {
            folder: parent.join(name),
            kept: Mutex::default(),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path under which the runtime reads it, or the sentence that refuses it.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
        if bytes.len() > FILE_BYTES {
            return Err(format!(
                "the file is larger than {FILE_BYTES} bytes; put it into the working folder instead"
            ));
        }
        // One after the other, so that none is written into a folder that was just removed.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_over {
            return Err("the app is about to end".into());
        }
        if kept.bytes + bytes.len() > FILES_BYTES {
            return Err(format!(
                "the files attached here are more than {FILES_BYTES} bytes together; start the app anew"
            ));
        }
        kept.number += 1;
        let folder = self.folder.join(kept.number.to_string());
        let path = folder.join(to_safe_name(name));
        if let Err(problem) = write_private(&path, bytes) {
            let _ = remove_dir_all(&folder);
            return Err(problem);
        }
        kept.bytes += bytes.len();
        Ok(path)
    }

    /// At the end of the app; nothing is kept afterwards.
    pub fn remove(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.is_over = true;
        // What can't be removed now is removed at the next start.
        let _ = remove_dir_all(&self.folder);
    }
}

/// What launches that were killed have left. Those of apps that still run stay.
pub fn remove_leftovers(parent: &Path) {
    let names = read_dir(parent).into_iter().flatten().flatten();
    for name in names.filter_map(|entry| entry.file_name().into_string().ok()) {
        let Some(id) = name.split('-').next().and_then(|id| id.parse().ok()) else {
            continue;
        };
        if start_mark(id).is_none_or(|mark| to_folder_name(id, &mark) != name) {
            let _ = remove_dir_all(parent.join(name));
        }
    }
}

fn to_folder_name(process_id: u32, mark: &str) -> String {
    let mark = mark.replace(|char: char| !char.is_ascii_alphanumeric(), "-");
    format!("{process_id}-{mark}")
}

/// The last part of what the page says, without what a file name can't hold.
fn to_safe_name(name: &str) -> String {
    let is_slash = |char| matches!(char, '/' | '\\');
    let last = name.trim_end_matches(is_slash).rsplit(is_slash).next();
    let is_bad = |char: char| char.is_control() || r#":*?"<>|"#.contains(char);
    let mut safe = last.unwrap_or_default().replace(is_bad, "_");
    while safe.len() > NAME_BYTES {
        safe.pop();
    }
    if matches!(safe.as_str(), "" | "." | "..") {
        safe = "file".into();
    }
    safe
}
