// Puts the app together: plugins, settings, the runtime, the window, and what shows and hides it.

use std::sync::{Arc, Mutex};

use tauri::{AppHandle, Manager};
use tauri_plugin_window_state::StateFlags;

use super::events::PageEvents;
use super::folders::Folders;
use super::pace::Pace;
use super::{Desk, Office, commands, locked, quit, shortcut, signals, tray, window};
use crate::log::{flush, say};
use crate::private_file::{keep_private, make_folder};
use crate::runtime::launch::{Launch, LaunchParts, to_launch};
use crate::runtime::leftover::PidFile;
use crate::runtime::limits::Limits;
use crate::runtime::supervisor::{Supervisor, SupervisorOptions};
use crate::settings::agent_config::to_agent_config;
use crate::settings::keychain::SystemKeychain;
use crate::settings::keys::Keys;
use crate::settings::stored::load_settings;

/// Returns when the app has ended.
pub fn run(shows_protocol: bool) -> tauri::Result<()> {
    // A window that was hidden when the app ended is shown again when it is started.
    let remembered = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    let app = tauri::Builder::default()
        // First, so that a second app is gone before it has done anything.
        .plugin(tauri_plugin_single_instance::init(|app, _, _| {
            window::show(app);
        }))
        .plugin(
            tauri_plugin_window_state::Builder::default()
                .with_state_flags(remembered)
                .build(),
        )
        .plugin(shortcut::plugin())
        .invoke_handler(tauri::generate_handler![
            commands::agent_send,
            commands::agent_hello,
            commands::settings_get,
            commands::settings_set,
            commands::key_set,
            commands::quit,
        ])
        .setup(move |app| {
            set_up_or_end(app.handle(), shows_protocol);
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run(quit::on_run_event);
    Ok(())
}

/// What fails here would end in a panic.
fn set_up_or_end(app: &AppHandle, shows_protocol: bool) {
    if let Err(error) = set_up(app, shows_protocol) {
        say(&format!("hawser: the app can't be started: {error}"));
        if let Some(office) = app.try_state::<Office>() {
            office.supervisor.stop();
        }
        flush();
        std::process::exit(1);
    }
}

fn set_up(app: &AppHandle, shows_protocol: bool) -> tauri::Result<()> {
    let desk = Arc::new(lay_out(Folders::of(app)?, shows_protocol));
    let supervisor = start_runtime(app, &desk);
    app.manage(Office {
        desk: Arc::clone(&desk),
        supervisor,
    });
    signals::follow(app);
    let page = locked(&desk.settings).page.clone();
    window::create(app, page.theme)?;
    tray::create(app);
    match shortcut::parse(&page.shortcut) {
        Ok(wanted) => shortcut::register(app, &desk, wanted),
        Err(problem) => shortcut::report(&desk, Some(problem)),
    }
    Ok(())
}

fn lay_out(folders: Folders, shows_protocol: bool) -> Desk {
    let (settings, problem) = load_settings(&folders.settings_file());
    if let Some(problem) = &problem {
        say(&format!("hawser: {problem}"));
    }
    let environment = |name: &str| std::env::var(name).ok();
    let keychain = Box::new(SystemKeychain::default());
    Desk {
        keys: Keys::new(keychain, environment, folders.keys_file()),
        folders,
        settings: Mutex::new(settings),
        settings_problem: Mutex::new(problem),
        shortcut_problem: Mutex::new(None),
        shows_protocol,
    }
}

fn start_runtime(app: &AppHandle, desk: &Arc<Desk>) -> Supervisor {
    let for_launch = Arc::clone(desk);
    Supervisor::start(SupervisorOptions {
        launch: Arc::new(move || plan_launch(&for_launch)),
        build: env!("CARGO_PKG_VERSION").to_owned(),
        pid_file: PidFile::new(desk.folders.pid_file()),
        sink: Arc::new(PageEvents {
            app: app.clone(),
            desk: Arc::clone(desk),
            pace: Pace::default(),
        }),
        limits: Limits::default(),
    })
}

fn plan_launch(desk: &Desk) -> Result<Launch, String> {
    let (agent_config, workspace) = (desk.folders.agent_config(), desk.folders.workspace());
    let settings = {
        // Not let go before it is written: a plan that is late must not write what was true before.
        let settings = locked(&desk.settings);
        keep_private(&agent_config, &to_agent_config(&settings).to_string())?;
        settings.clone()
    };
    make_folder(&workspace)
        .map_err(|error| format!("{} can't be made: {error}", workspace.display()))?;
    to_launch(LaunchParts {
        runtime_folder: &desk.folders.runtime,
        node: settings.node.as_deref(),
        search_path: std::env::var_os("PATH"),
        agent_config: &agent_config,
        arguments: &settings.arguments,
        env: desk.keys.to_environment(),
        folder: &workspace,
    })
}
