// What programs are given of the environment of an AppImage. The test is its own AppImage: it starts itself
// again with the variables that one sets, and has that start a runtime, and look for a Node.

use std::env;
use std::path::Path;
use std::process::Command;

use hawser_desktop::runtime::node_lookup::find_node;

use crate::agent_child::shell;
use crate::node_lookup::fake_node;

const NAME: &str = "app_image::the_runtime_of_an_app_image_gets_the_environment_of_the_machine";

#[test]
fn the_runtime_of_an_app_image_gets_the_environment_of_the_machine() {
    let program = env::current_exe().unwrap();
    let folder = program.parent().unwrap().to_str().unwrap();
    if env::var_os("APPDIR").is_some_and(|named| named == folder) {
        let output = shell("env").to_command().output().unwrap();
        print!("{}", String::from_utf8_lossy(&output.stdout));
        let found = find_node(None, Path::new("/no/runtime"), env::var_os("NODE_FOLDER"));
        return println!("NODE={}", found.unwrap().display());
    }
    let nodes = tempfile::tempdir().unwrap();
    // One that would not start with libraries that are not its own.
    let node = fake_node(nodes.path(), "[ -z \"$PYTHONHOME\" ] && echo v24.1.0");
    let output = Command::new(&program)
        .args(["--exact", NAME, "--nocapture"])
        .env("APPDIR", folder)
        .env("PYTHONHOME", format!("{folder}/usr/"))
        .env("LD_LIBRARY_PATH", format!("{folder}/usr/lib/::/opt/lib:"))
        .env("PATH", format!("{folder}/usr/bin/:/usr/bin:/bin"))
        .env("HOME", "/home/u")
        .env("NODE_FOLDER", nodes.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let given: Vec<&str> = text.lines().filter(|line| line.contains('=')).collect();
    for expected in [
        "LD_LIBRARY_PATH=/opt/lib",
        "PATH=/usr/bin:/bin",
        "HOME=/home/u",
        &format!("NODE={}", node.display()),
    ] {
        assert!(given.contains(&expected), "{expected} is not in {text}");
    }
    for name in ["APPDIR", "PYTHONHOME"] {
        let prefix = format!("{name}=");
        assert!(
            !given.iter().any(|line| line.starts_with(&prefix)),
            "{text}"
        );
    }
}
