// An AppImage tells its own programs by variables where their libraries and modules are. Any other program that
// inherits them would load those instead of its own, or look into a folder that goes away with the app. Here
// they are taken back, for whatever the app starts for somebody else; what the user has set stays. Nothing is
// changed where the app is no AppImage, or where the variables are those of another one.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Its own, without a path in them; the first names its folder.
const OWN_NAMES: [&str; 6] = [
    "APPDIR",
    "APPIMAGE",
    "ARGV0",
    "OWD",
    "GTK_THEME",
    "PYTHONDONTWRITEBYTECODE",
];

type Variable = (OsString, OsString);

/// None: not set at all.
type Change = (OsString, Option<OsString>);

/// The command will run as if the app had been started without its AppImage.
pub fn leave(command: &mut Command) {
    let Ok(program) = env::current_exe() else {
        return;
    };
    let variables: Vec<Variable> = env::vars_os().collect();
    for (name, value) in changes(&program, &variables) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

fn changes(program: &Path, variables: &[Variable]) -> Vec<Change> {
    let folders = own_folders(variables);
    let is_own = |path: &Path| folders.iter().any(|folder| path.starts_with(folder));
    if !is_own(program) {
        return vec![];
    }
    let change = |(name, value): &Variable| {
        let changed = if OWN_NAMES.iter().any(|own| name.as_os_str() == *own) {
            Some(None)
        } else {
            without(value, is_own)
        };
        changed.map(|value| (name.clone(), value))
    };
    variables.iter().filter_map(change).collect()
}

/// As it is named, and as it is really called: variables have either.
fn own_folders(variables: &[Variable]) -> Vec<PathBuf> {
    let named = variables
        .iter()
        .find(|(name, _)| name.as_os_str() == OWN_NAMES[0]);
    let Some(folder) = named.map(|(_, value)| PathBuf::from(value)) else {
        return vec![];
    };
    let real = folder.canonicalize().ok();
    [Some(folder), real]
        .into_iter()
        .flatten()
        .filter(|folder| folder.is_absolute() && folder.parent().is_some())
        .collect()
}

/// None when there is nothing to take out.
fn without(value: &OsStr, is_own: impl Fn(&Path) -> bool) -> Option<Option<OsString>> {
    let paths: Vec<PathBuf> = env::split_paths(value).collect();
    if !paths.iter().any(|path| is_own(path)) {
        return None;
    }
    // Its start adds a colon even where nothing follows, and nothing means the folder that one happens to be in.
    let kept = paths
        .iter()
        .filter(|path| !is_own(path) && !path.as_os_str().is_empty());
    let joined = env::join_paths(kept).unwrap_or_default();
    Some(Some(joined).filter(|joined| !joined.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "/tmp/.mount_Hawserab12cd/usr/bin/hawser-desktop";

    fn changed(program: &str, variables: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
        let variables: Vec<Variable> = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let text = |value: OsString| value.into_string().unwrap();
        changes(Path::new(program), &variables)
            .into_iter()
            .map(|(name, value)| (text(name), value.map(text)))
            .collect()
    }

    #[test]
    fn what_an_app_image_has_set_is_taken_back() {
        let image = [
            ("APPDIR", "/tmp/.mount_Hawserab12cd"),
            ("APPIMAGE", "/home/u/Hawser.AppImage"),
            ("ARGV0", "./Hawser.AppImage"),
            ("OWD", "/home/u"),
            ("GTK_THEME", "Adwaita:light"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("PYTHONHOME", "/tmp/.mount_Hawserab12cd/usr/"),
            ("GTK_DATA_PREFIX", "/tmp/.mount_Hawserab12cd"),
            ("GTK_EXE_PREFIX", "/tmp/.mount_Hawserab12cd//usr"),
            (
                "LD_LIBRARY_PATH",
                "/tmp/.mount_Hawserab12cd/usr/lib/:/tmp/.mount_Hawserab12cd/lib64/:",
            ),
        ];
        let names: Vec<(String, Option<String>)> =
            image.map(|(name, _)| (name.into(), None)).into();
        assert_eq!(changed(PROGRAM, &image), names);
    }

    #[test]
    fn what_the_user_has_set_stays_and_the_current_folder_is_no_place_to_look() {
        let folder = ("APPDIR", "/tmp/.mount_Hawserab12cd");
        let path = "/tmp/.mount_Hawserab12cd/usr/bin/:/home/u/bin:/usr/bin";
        let libraries = "/tmp/.mount_Hawserab12cd/usr/lib/::/opt/lib:";
        let others = [
            ("PATH", path),
            ("LD_LIBRARY_PATH", libraries),
            ("HOME", "/home/u"),
            ("PERL5LIB", "/home/u/perl::"),
            ("NOTE", "/tmp/.mount_Hawserab12cdX/usr"),
        ];
        assert_eq!(
            changed(PROGRAM, &[&[folder], &others[..]].concat()),
            [
                ("APPDIR".into(), None),
                ("PATH".into(), Some("/home/u/bin:/usr/bin".into())),
                ("LD_LIBRARY_PATH".into(), Some("/opt/lib".into())),
            ]
        );
    }

    #[test]
    fn an_app_that_is_no_app_image_changes_nothing() {
        let of_another = [
            ("APPDIR", "/tmp/.mount_Other1"),
            ("PATH", "/tmp/.mount_Other1/usr/bin:/usr/bin"),
        ];
        assert_eq!(changed("/usr/bin/hawser-desktop", &of_another), []);
        assert_eq!(changed("/usr/bin/hawser-desktop", &of_another[1..]), []);
        for nonsense in ["", "/", "tmp"] {
            let variables = [("APPDIR", nonsense), ("PATH", "/usr/bin")];
            assert_eq!(changed("/usr/bin/hawser-desktop", &variables), []);
        }
    }

    #[test]
    fn a_folder_that_is_named_through_a_link_is_known_by_both_names() {
        let temporary = tempfile::tempdir().unwrap();
        let real = temporary.path().canonicalize().unwrap().join("real");
        let link = real.with_file_name("link");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let (real, link) = (real.to_str().unwrap(), link.to_str().unwrap());
        let path = format!("{link}/usr/bin:{real}/bin:/usr/bin");
        assert_eq!(
            changed(
                &format!("{real}/usr/bin/hawser-desktop"),
                &[("APPDIR", link), ("PATH", &path)]
            ),
            [
                ("APPDIR".into(), None),
                ("PATH".into(), Some("/usr/bin".into()))
            ]
        );
    }
}
