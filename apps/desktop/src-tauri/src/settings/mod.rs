// What the user has set: kept in files for this user only, checked before anything believes it, and turned
// into the configuration of the agent. Keys of vendors are kept apart from it.

pub mod agent_config;
pub mod checks;
pub mod keychain;
pub mod keys;
pub mod stored;
