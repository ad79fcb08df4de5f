// The desktop app: the chat page in a native window, and the agent runtime behind it. `runtime`, `settings`
// and `private_file` know nothing of windows; `app` puts everything together.

pub mod app;
mod latch;
pub mod log;
pub mod private_file;
pub mod runtime;
pub mod settings;
