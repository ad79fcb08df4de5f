// Where the app keeps what: settings and keys in its configuration folder, the rest in its data folder.

use std::path::PathBuf;

use tauri::{AppHandle, Manager};

use crate::log::say;
use crate::private_file::make_folder;

pub struct Folders {
    pub config: PathBuf,
    pub data: PathBuf,
    /// The runtime's packages.
    pub runtime: PathBuf,
}

impl Folders {
    pub fn of(app: &AppHandle) -> tauri::Result<Self> {
        let path = app.path();
        let runtime = match std::env::var_os("HAWSER_DESKTOP_RUNTIME") {
            Some(folder) if !folder.is_empty() => std::path::absolute(folder)?,
            _ => path.resource_dir()?.join("runtime"),
        };
        let (config, data) = (path.app_config_dir()?, path.app_data_dir()?);
        // Before the webview, which would let others look into them. Where they can't be made, the window opens
        // all the same and says what could not be written.
        for folder in [&config, &data] {
            if let Err(error) = make_folder(folder) {
                say(&format!(
                    "hawser: {} can't be made: {error}",
                    folder.display()
                ));
            }
        }
        Ok(Self {
            config,
            data,
            runtime,
        })
    }

    pub fn settings_file(&self) -> PathBuf {
        self.config.join("settings.json")
    }

    pub fn agent_config(&self) -> PathBuf {
        self.config.join("agent.json")
    }

    pub fn keys_file(&self) -> PathBuf {
        self.config.join("keys.json")
    }

    pub fn pid_file(&self) -> PathBuf {
        self.data.join("runtime.json")
    }

    /// A folder for each launch, with what was attached during it.
    pub fn attachments(&self) -> PathBuf {
        self.data.join("attachments")
    }

    /// Where the agent works when no root is set: an app that is started from a menu begins in the home
    /// folder, which is more than an agent should be given unasked.
    pub fn workspace(&self) -> PathBuf {
        self.data.join("workspace")
    }
}
