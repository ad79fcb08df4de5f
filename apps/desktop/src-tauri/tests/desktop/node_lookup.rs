// Which Node is used, and what is said when there is none.

use std::ffi::OsString;
use std::fs::{Permissions, create_dir_all, read_to_string, set_permissions, write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hawser_desktop::runtime::launch::{LaunchParts, to_launch};
use hawser_desktop::runtime::node_lookup::find_node;

use crate::agent_child::{is_running, wait_until};

pub fn fake_node(folder: &Path, script: &str) -> PathBuf {
    create_dir_all(folder).unwrap();
    let path = folder.join("node");
    write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

fn search_path(folders: &[&Path]) -> Option<OsString> {
    Some(std::env::join_paths(folders).unwrap())
}

#[test]
fn the_named_one_comes_before_the_apps_own_and_that_before_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let [named, runtime, path] = ["named", "runtime", "path"].map(|name| folder.path().join(name));
    let in_path = fake_node(&path, "echo v24.1.0");
    let find = |named: Option<&Path>| find_node(named, &runtime, search_path(&[&path]));
    assert_eq!(find(None).unwrap(), in_path);
    let bundled = fake_node(&runtime, "exit 1");
    assert_eq!(find(None).unwrap(), bundled);
    let refusal = find(Some(&named.join("node"))).unwrap_err();
    assert!(refusal.starts_with("there is no Node at "));
    let named = fake_node(&named, "exit 1");
    assert_eq!(find(Some(&named)).unwrap(), named);
}

#[test]
fn the_first_in_the_path_that_is_new_enough_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    fake_node(&place("old"), "echo v22.12.9");
    fake_node(&place("broken"), "exit 1");
    fake_node(&place("odd"), "echo hello");
    let good = fake_node(&place("good"), "echo v22.13.0");
    fake_node(&place("later"), "echo v24.0.0");
    let places = ["none", "old", "broken", "odd", "good", "later"].map(place);
    let folders: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
    let find =
        |count: usize| find_node(None, Path::new("/nowhere"), search_path(&folders[..count]));
    assert_eq!(find(6).unwrap(), good);
    assert_eq!(
        find(4).unwrap_err(),
        "the agent needs Node 22.13 or newer and there is only 22.12 in the PATH; install it from https://nodejs.org"
    );
    assert!(find(1).unwrap_err().contains("there is none in the PATH"));
    assert!(find_node(None, Path::new("/nowhere"), None).is_err());
}

#[test]
fn one_that_hangs_is_passed_over_and_ended_with_all_that_it_has_started() {
    let folder = tempfile::tempdir().unwrap();
    let hanging = folder.path().join("hanging");
    fake_node(&hanging, "sleep 1000 & echo $! > \"$0.pid\"; wait");
    let good = fake_node(&folder.path().join("good"), "echo v24.0.0");
    let folders = search_path(&[&hanging, good.parent().unwrap()]);
    assert_eq!(find_node(None, Path::new("/nowhere"), folders), Ok(good));
    let pid = read_to_string(hanging.join("node.pid")).unwrap();
    let pid = pid.trim().parse().unwrap();
    wait_until("it is gone", || !is_running(pid));
}

#[test]
fn a_launch_names_node_entry_configuration_and_keys_or_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let parts = || LaunchParts {
        runtime_folder: folder.path(),
        node: None,
        search_path: None,
        agent_config: Path::new("/c/agent.json"),
        attachments: Path::new("/a"),
        arguments: &[],
        env: vec![("OPENAI_API_KEY".into(), "k".into())],
        folder: Path::new("/w"),
    };
    let refusal = to_launch(parts()).unwrap_err();
    assert!(refusal.starts_with("the agent runtime is missing: "));
    let entry = folder.path().join("node_modules/hawser/bin/hawser.cjs");
    create_dir_all(entry.parent().unwrap()).unwrap();
    write(&entry, "").unwrap();
    assert!(to_launch(parts()).unwrap_err().contains("needs Node 22.13"));
    let node = fake_node(folder.path(), "");
    let arguments = ["--no-history".to_owned()];
    let launch = to_launch(LaunchParts {
        arguments: &arguments,
        ..parts()
    })
    .unwrap();
    assert_eq!(launch.program, node);
    let args = [
        entry.as_os_str(),
        "agent".as_ref(),
        "--config=/c/agent.json".as_ref(),
        "--attachments=/a".as_ref(),
        "--no-history".as_ref(),
    ];
    assert_eq!(launch.args, args);
    // A key is no argument: those can be read by everybody.
    assert_eq!(launch.env, [("OPENAI_API_KEY".to_owned(), "k".to_owned())]);
    assert_eq!(launch.folder, Path::new("/w"));
}
