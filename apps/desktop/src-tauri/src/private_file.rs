// Files that are for this user only. Written whole or not at all: beside the old one first, then in its place.
// Nobody else can read them, at any moment.

use std::fs::{
    DirBuilder, File, OpenOptions, Permissions, metadata, remove_file, rename, set_permissions,
};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

const MAX_BYTES: u64 = 1_048_576;
/// Two threads may write the same file; the one that is last stays.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// Makes the folder too. Or the sentence that says why it could not be written.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (process, number) = (std::process::id(), WRITES.fetch_add(1, Ordering::Relaxed));
    let beside = path.with_file_name(format!(".{name}.{process}.{number}.new"));
    let written = make_folder(path.parent().unwrap_or(Path::new("/")))
        .and_then(|()| write_new(&beside, bytes))
        .and_then(|()| rename(&beside, path));
    written.map_err(|error| {
        let _ = remove_file(&beside);
        format!("{} can't be written: {error}", path.display())
    })
}

/// Only if it says something else: a full disk, or a folder that can't be written, is then no problem.
pub fn keep_private(path: &Path, text: &str) -> Result<(), String> {
    match read_private(path) {
        Ok(Some(present)) if present == text => Ok(()),
        _ => write_private(path, text.as_bytes()),
    }
}

/// Folders that are missing are made for this user only.
pub fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What a crash of an earlier process with this id may have left.
    let _ = remove_file(path);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// None when there is no such file; a sentence when there is one that can't be read. One that others may
/// read is closed to them.
pub fn read_private(path: &Path) -> Result<Option<String>, String> {
    let cannot = |reason: &str| format!("{} {reason}", path.display());
    // Looked at before it is opened: opening a pipe would wait for whoever writes into it.
    let file = match metadata(path) {
        Ok(facts) if !facts.is_file() => return Err(cannot("is no file")),
        Ok(_) => File::open(path),
        Err(error) => Err(error),
    };
    let file = match file {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot(&format!("can't be read: {error}"))),
    };
    if let Ok(facts) = file.metadata()
        && facts.permissions().mode() & 0o077 != 0
    {
        let _ = set_permissions(path, Permissions::from_mode(0o600));
    }
    let mut text = String::new();
    match file.take(MAX_BYTES + 1).read_to_string(&mut text) {
        Err(error) => Err(cannot(&format!("can't be read: {error}"))),
        Ok(_) if text.len() as u64 > MAX_BYTES => {
            Err(cannot(&format!("is larger than {MAX_BYTES} bytes")))
        }
        Ok(_) => Ok(Some(text)),
    }
}
