// Files that are attached: bounded, under names that can do no harm, and gone with the launch.

use std::fs::{create_dir_all, metadata, read, read_dir, write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use hawser_desktop::attached_files::{AttachedFiles, remove_leftovers};

fn mode(path: &Path) -> u32 {
    metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_file_is_kept_under_its_name_for_this_user_only_and_never_written_over() {
    let parent = tempfile::tempdir().unwrap();
    let files = AttachedFiles::new(&parent.path().join("attachments"));
    let first = files.keep("notes.txt", b"one").unwrap();
    let second = files.keep("notes.txt", b"two").unwrap();
    assert_eq!(read(&first).unwrap(), b"one");
    assert_eq!(read(&second).unwrap(), b"two");
    assert!(first.ends_with("1/notes.txt") && first.starts_with(files.folder()));
    assert_eq!(mode(&first), 0o600);
    for folder in first.ancestors().skip(1).take(3) {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
}

#[test]
fn a_name_says_nothing_about_where_a_file_lies() {
    let parent = tempfile::tempdir().unwrap();
    let files = AttachedFiles::new(parent.path());
    let long = format!("{}é.txt", "x".repeat(199));
    let cases = [
        ("../../../elsewhere/a", "a"),
        ("/nowhere/b/", "b"),
        ("C:\\notes\\a.txt", "a.txt"),
        ("..", "file"),
        (".", "file"),
        ("", "file"),
        ("///", "file"),
        ("a\0b\nc:d*e?f\"g<h>i|j", "a_b_c_d_e_f_g_h_i_j"),
        ("Übersicht 1.png", "Übersicht 1.png"),
        (&long, &long[..199]),
    ];
    for (index, (name, expected)) in cases.into_iter().enumerate() {
        let path = files.keep(name, b"x").unwrap();
        let folder = files.folder().join((index + 1).to_string());
        assert_eq!(path, folder.join(expected), "{name:?}");
        assert_eq!(read_dir(folder).unwrap().count(), 1);
    }
}

#[test]
fn a_file_that_is_too_large_is_refused_and_so_is_one_too_many() {
    let parent = tempfile::tempdir().unwrap();
    let files = AttachedFiles::new(parent.path());
    let bytes = vec![0; 10_485_761];
    let refusal = files.keep("large", &bytes).unwrap_err();
    let expected = "the file is larger than 10485760 bytes; put it into the working folder instead";
    assert_eq!(refusal, expected);
    assert!(!files.folder().exists());
    let largest = &bytes[1..];
    for _ in 0..25 {
        std::fs::remove_file(files.keep("large", largest).unwrap()).unwrap();
    }
    let refusal = files.keep("large", largest).unwrap_err();
    let expected =
        "the files attached here are more than 268435456 bytes together; start the app anew";
    assert_eq!(refusal, expected);
    // To the byte: 25 of the largest leave room for this one.
    let rest = 268_435_456 - 25 * largest.len();
    assert!(files.keep("rest", &bytes[..=rest]).is_err());
    assert!(files.keep("rest", &bytes[..rest]).is_ok());
    assert!(files.keep("one byte", b"x").is_err());
}

#[test]
fn one_that_cannot_be_written_is_refused_with_a_sentence_and_does_not_count() {
    let parent = tempfile::tempdir().unwrap();
    let in_the_way = parent.path().join("attachments");
    write(&in_the_way, "a file").unwrap();
    let files = AttachedFiles::new(&in_the_way);
    for _ in 0..30 {
        let refusal = files.keep("a", &[0; 10_000_000]).unwrap_err();
        assert!(refusal.contains("can't be written: "), "{refusal}");
    }
    std::fs::remove_file(&in_the_way).unwrap();
    assert!(files.keep("a", b"x").is_ok());
}

#[test]
fn the_end_removes_everything_and_keeps_nothing_more() {
    let parent = tempfile::tempdir().unwrap();
    let files = AttachedFiles::new(parent.path());
    files.keep("a", b"x").unwrap();
    files.remove();
    assert_eq!(
        files.keep("b", b"x").unwrap_err(),
        "the app is about to end"
    );
    assert_eq!(read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn what_a_killed_app_left_is_removed_and_what_a_running_one_has_stays() {
    let parent = tempfile::tempdir().unwrap();
    let files = AttachedFiles::new(parent.path());
    let own = files.keep("a", b"x").unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    write(elsewhere.path().join("precious"), "x").unwrap();
    let id = std::process::id();
    // An earlier process with the id of this one, and one that nobody has.
    for name in [&format!("{id}-earlier-1"), "4194305-x-1", "mine"] {
        create_dir_all(parent.path().join(name).join("1")).unwrap();
        symlink(elsewhere.path(), parent.path().join(name).join("1/link")).unwrap();
    }
    remove_leftovers(parent.path());
    let names = || read_dir(parent.path()).unwrap().map(|entry| entry.unwrap());
    let mut left: Vec<_> = names().map(|entry| entry.path()).collect();
    left.sort();
    let mut expected = [files.folder().to_owned(), parent.path().join("mine")];
    expected.sort();
    assert_eq!(left, expected);
    assert_eq!(read(own).unwrap(), b"x");
    assert!(elsewhere.path().join("precious").exists());
    remove_leftovers(&parent.path().join("nowhere"));
}
