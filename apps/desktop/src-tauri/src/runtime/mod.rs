// The agent runtime as a child process: found, started, fed, read, kept alive and ended. Knows nothing of
// windows; whoever wants to see what it says gives a sink.

pub mod app_image;
pub mod child_log;
pub mod crash_count;
pub mod greeting;
pub mod launch;
pub mod leftover;
pub mod life;
pub mod limits;
pub mod line_pump;
pub mod line_writer;
pub mod node_lookup;
pub mod owned_child;
pub mod process;
pub mod protocol_log;
pub mod relay;
mod supervision;
pub mod supervisor;
