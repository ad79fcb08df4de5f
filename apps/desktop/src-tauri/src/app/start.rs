// Puts the app together: plugins, settings, the runtime, the window, and what shows and hides it.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;

use tauri::{AppHandle, Manager};
use tauri_plugin_window_state::StateFlags;

use super::events::PageEvents;
use super::folders::Folders;
use super::pace::Pace;
use super::{App, AppState, commands, quit, shortcut, signals, tray, window};
use crate::attached_files::{AttachedFiles, remove_leftovers};
use crate::locked::locked;
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
            commands::theme_set,
            commands::keys_get,
            commands::key_set,
            commands::file_put,
            commands::folder_pick,
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
        if let Some(parts) = app.try_state::<App>() {
            quit::leave_nothing(&parts);
        }
        flush();
        std::process::exit(1);
    }
}

fn set_up(app: &AppHandle, shows_protocol: bool) -> tauri::Result<()> {
    let state = Arc::new(load_state(Folders::of(app)?, shows_protocol));
    let attachments = state.folders.attachments();
    thread::spawn(move || remove_leftovers(&attachments));
    let supervisor = start_runtime(app, &state);
    app.manage(App {
        state: Arc::clone(&state),
        supervisor,
    });
    signals::follow(app);
    let page = locked(&state.settings).page.clone();
    window::create(app, page.theme, state.folders.data.is_dir())?;
    tray::create(app, &state);
    match shortcut::parse(&page.shortcut) {
        Ok(wanted) => shortcut::register(app, &state, wanted),
        Err(problem) => shortcut::report(&state, Some(problem)),
    }
    Ok(())
}

fn load_state(folders: Folders, shows_protocol: bool) -> AppState {
    let (settings, problem) = load_settings(&folders.settings_file());
    if let Some(problem) = &problem {
        say(&format!("hawser: {problem}"));
    }
    let environment = |name: &str| std::env::var(name).ok();
    let keychain = Box::new(SystemKeychain::default());
    AppState {
        keys: Keys::new(keychain, environment, folders.keys_file()),
        attached: AttachedFiles::new(&folders.attachments()),
        folders,
        settings: Mutex::new(settings),
        settings_problem: Mutex::new(problem),
        shortcut_problem: Mutex::new(None),
        shows_protocol,
        has_tray_icon: AtomicBool::new(false),
        is_quitting: AtomicBool::new(false),
        is_stopped: AtomicBool::new(false),
    }
}

fn start_runtime(app: &AppHandle, state: &Arc<AppState>) -> Supervisor {
    let for_launch = Arc::clone(state);
    Supervisor::start(SupervisorOptions {
        launch: Arc::new(move || plan_launch(&for_launch)),
        build: env!("CARGO_PKG_VERSION").to_owned(),
        pid_file: PidFile::new(state.folders.pid_file()),
        sink: Arc::new(PageEvents {
            app: app.clone(),
            state: Arc::clone(state),
            pace: Pace::default(),
            has_alias: locked(&state.settings).alias_event,
        }),
        limits: Limits::default(),
    })
}

fn plan_launch(state: &AppState) -> Result<Launch, String> {
    let (agent_config, workspace) = (state.folders.agent_config(), state.folders.workspace());
    let settings = {
        // Not let go before it is written: a plan that is late must not write what was true before.
        let settings = locked(&state.settings);
        keep_private(&agent_config, &to_agent_config(&settings).to_string())?;
        settings.clone()
    };
    for folder in [&workspace, state.attached.folder()] {
        make_folder(folder)
            .map_err(|error| format!("{} can't be made: {error}", folder.display()))?;
    }
    to_launch(LaunchParts {
        runtime_folder: &state.folders.runtime,
        node: settings.node.as_deref(),
        search_path: std::env::var_os("PATH"),
        agent_config: &agent_config,
        attachments: state.attached.folder(),
        arguments: &settings.arguments,
        env: state.keys.hand_over(),
        folder: &workspace,
    })
}
