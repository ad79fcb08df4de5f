// Tells Tauri which commands the app has, so that each is refused unless a capability names it.

const COMMANDS: &[&str] = &[
    "agent_send",
    "agent_hello",
    "settings_get",
    "settings_set",
    "theme_set",
    "keys_get",
    "key_set",
    "file_put",
    "folder_pick",
    "quit",
];

fn main() {
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    let attributes = tauri_build::Attributes::new().app_manifest(manifest);
    tauri_build::try_build(attributes).expect("the app's configuration is not valid");
}
