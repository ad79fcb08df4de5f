// Files for this user only: written whole or not at all.

use std::fs::{Permissions, metadata, read_dir, read_to_string, set_permissions, write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use hawser_desktop::private_file::{read_private, write_private};

fn mode(path: &Path) -> u32 {
    metadata(path).unwrap().permissions().mode() & 0o777
}

fn names(folder: &Path) -> Vec<String> {
    let entries = read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_whole_for_this_user_only_and_leaves_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/settings.json");
    write_private(&path, b"one").unwrap();
    set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    write_private(&path, b"two").unwrap();
    assert_eq!(read_to_string(&path).unwrap(), "two");
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&folder.path().join("deep")), 0o700);
    assert_eq!(names(path.parent().unwrap()), ["settings.json"]);
}

#[test]
fn a_write_that_fails_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("taken");
    std::fs::create_dir(&path).unwrap();
    write(path.join("inside"), "x").unwrap();
    // A folder with something in it can't be replaced.
    let refusal = write_private(&path, b"two").unwrap_err();
    assert!(refusal.starts_with(&format!("{} can't be written: ", path.display())));
    assert_eq!(names(folder.path()), ["taken"]);
    assert_eq!(read_to_string(path.join("inside")).unwrap(), "x");
}

#[test]
fn a_file_that_others_could_read_is_closed_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    write(&path, "{}").unwrap();
    set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(read_private(&path).unwrap().as_deref(), Some("{}"));
    assert_eq!(mode(&path), 0o600);
}
