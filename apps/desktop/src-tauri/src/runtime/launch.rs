// How the runtime is started: the program, what it is told, and where it works. Worked out anew for every
// start, since settings may have changed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::app_image;
use super::node_lookup::find_node;

#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub env: Vec<(String, String)>,
    pub folder: PathBuf,
}

impl Launch {
    pub fn to_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        // Before what is given: the runtime, and what its tools run, belong to the machine.
        app_image::leave(&mut command);
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.folder);
        // Where it is not set, each program guesses differently.
        if std::env::var_os("HOME").is_none_or(|home| home.is_empty())
            && let Some(home) = std::env::home_dir()
        {
            command.env("HOME", home);
        }
        command
    }
}

pub struct LaunchParts<'a> {
    /// The folder with the runtime's packages, and perhaps its Node.
    pub runtime_folder: &'a Path,
    /// A Node that the user named.
    pub node: Option<&'a Path>,
    pub search_path: Option<OsString>,
    pub agent_config: &'a Path,
    /// A folder that the runtime may read besides its roots.
    pub attachments: &'a Path,
    pub arguments: &'a [String],
    /// Keys of vendors, and nothing else.
    pub env: Vec<(String, String)>,
    /// Where relative paths begin when no root is set.
    pub folder: &'a Path,
}

/// Or the sentence that says what is missing.
pub fn to_launch(parts: LaunchParts<'_>) -> Result<Launch, String> {
    let entry = parts
        .runtime_folder
        .join("node_modules/hawser/bin/hawser.cjs");
    if !entry.is_file() {
        return Err(format!(
            "the agent runtime is missing: there is no {}; install the app again, or name its folder in HAWSER_DESKTOP_RUNTIME",
            entry.display()
        ));
    }
    let program = find_node(parts.node, parts.runtime_folder, parts.search_path)?;
    let mut config = OsString::from("--config=");
    config.push(parts.agent_config);
    let mut attachments = OsString::from("--attachments=");
    attachments.push(parts.attachments);
    let mut args = vec![entry.into_os_string(), "agent".into(), config, attachments];
    args.extend(parts.arguments.iter().map(OsString::from));
    Ok(Launch {
        program,
        args,
        env: parts.env,
        folder: parts.folder.to_owned(),
    })
}
