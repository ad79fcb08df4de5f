// The tests of everything that needs no window, with real child processes. One program, since each would be
// linked with all of the app.

mod agent_child;
mod app_image;
mod attached_files;
mod child_pipes;
mod keys;
mod leftover;
mod line_pump;
mod node_lookup;
mod private_file;
mod settings;
mod stop_ladder;
mod supervisor;
mod supervisor_failures;
mod supervisor_orders;
