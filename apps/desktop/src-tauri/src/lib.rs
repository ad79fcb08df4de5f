// The desktop app: the chat page in a native window, and the agent runtime behind it. What is not in
// `app` knows nothing of windows; `app` puts everything together.

pub mod app;
pub mod attached_files;
mod latch;
mod locked;
pub mod log;
pub mod private_file;
pub mod runtime;
pub mod settings;
