// Files for this user only: written whole or not at all.

use std::fs::{Permissions, metadata, read_dir, read_to_string, set_permissions, write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use hawser_desktop::private_file::{keep_private, read_private, write_private};

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

#[test]
fn what_is_no_file_is_refused_and_never_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let refusal = read_private(&path).unwrap_err();
    assert!(refusal.ends_with("settings.json is no file"), "{refusal}");
    assert!(read_private(folder.path()).is_err());
}

#[test]
fn what_a_file_says_already_needs_no_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.json");
    keep_private(&path, "{}").unwrap();
    let before = metadata(&path).unwrap().ino();
    keep_private(&path, "{}").unwrap();
    assert_eq!(metadata(&path).unwrap().ino(), before);
    keep_private(&path, "{ }").unwrap();
    assert_eq!(read_to_string(&path).unwrap(), "{ }");
}

#[test]
fn two_who_write_the_same_file_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..25 {
                    write_private(path, &[b'0' + writer; 5_000]).unwrap();
                }
            });
        }
    });
    let text = read_to_string(&path).unwrap();
    assert_eq!(text.len(), 5_000);
    assert_eq!(text, text[..1].repeat(5_000));
    assert_eq!(names(folder.path()), ["settings.json"]);
}
