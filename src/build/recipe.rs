//! What a build depends on besides the files that it compiles: how it is described, and which sources there are.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::inputs::Outdated;
use super::stamp::{Input, Stamps, nanoseconds};

/// Names of files that say how to build.
const NAMES: [&str; 13] = [
    "Makefile",
    "makefile",
    "GNUmakefile",
    "Makefile.am",
    "Makefile.in",
    "configure",
    "configure.ac",
    "configure.in",
    "CMakeLists.txt",
    "CMakePresets.json",
    "meson.build",
    "meson_options.txt",
    "meson.options",
];
/// Endings of files that others of these include.
const ENDINGS: [&str; 2] = ["mk", "cmake"];
/// Directories of sources that are looked at: each is listed before every answer.
const MOST_DIRECTORIES: usize = 256;

/// The files that say how to build, and the sources, in the directories of what was compiled and those above them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// Files that say how to build.
    pub(super) scripts: Vec<Input>,
    /// Directories with compiled sources, as seen from the project's root.
    directories: BTreeSet<PathBuf>,
    /// C sources in these directories.
    sources: BTreeSet<PathBuf>,
}

impl Recipe {
    /// Of a build of the project at `root` that began then and compiled these files. Descriptions that the build itself wrote are left out.
    pub fn of(root: &Path, compiled: &BTreeSet<&Path>, began: SystemTime) -> Recipe {
        let own = compiled.iter().filter(|path| path.is_relative() && is_source(path));
        let directories: BTreeSet<PathBuf> =
            own.filter_map(|path| path.parent().map(Path::to_path_buf)).take(MOST_DIRECTORIES).collect();
        let with_scripts: BTreeSet<&Path> = directories.iter().flat_map(|path| path.ancestors()).collect();
        let mut stamps = Stamps::new(root);
        let at = nanoseconds(began);
        let scripts = with_scripts.iter().flat_map(|directory| files(root, directory)).filter(|path| is_script(path));
        let scripts = scripts.filter_map(|path| stamps.input(&root.join(path), at)).filter(Input::is_known).collect();
        let sources = sources(root, &directories).collect();
        Recipe { scripts, directories, sources }
    }

    /// The first file that says how to build and is another one, else the first source that is new.
    pub fn first_changed(&self, root: &Path) -> Option<Outdated> {
        let mut stamps = Stamps::new(root);
        let script = self.scripts.iter().find(|script| stamps.differs(script));
        let new = || sources(root, &self.directories).find(|path| !self.sources.contains(path));
        script.map(|script| Outdated::Recipe(script.path.clone())).or_else(|| new().map(Outdated::New))
    }
}

fn sources<'d>(root: &'d Path, directories: &'d BTreeSet<PathBuf>) -> impl Iterator<Item = PathBuf> + 'd {
    directories.iter().flat_map(move |directory| files(root, directory)).filter(|path| is_source(path))
}

fn is_source(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("c"))
}

fn is_script(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    NAMES.contains(&name) || ENDINGS.contains(&ending)
}

/// The files of a directory, by name, as seen from the project's root.
fn files(root: &Path, directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join(directory)).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut files: Vec<PathBuf> = files.map(|entry| directory.join(entry.file_name())).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn descriptions_and_new_sources_are_told_and_what_the_build_wrote_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        };
        write("Makefile", "all:\n");
        write("src/a.c", "int a;\n");
        write("other/b.c", "int b;\n");
        let began = SystemTime::now() + Duration::from_millis(1);
        write("src/rules.mk", "made by the build\n");
        let written = fs::File::options().write(true).open(root.join("src/rules.mk")).unwrap();
        written.set_modified(began + Duration::from_secs(1)).unwrap();
        let compiled = BTreeSet::from([Path::new("src/a.c"), Path::new("/usr/include/x.c")]);
        let recipe = Recipe::of(&root, &compiled, began);
        assert_eq!(recipe.first_changed(&root), None);
        write("src/rules.mk", "made again\n");
        write("other/c.c", "int c;\n");
        assert_eq!(recipe.first_changed(&root), None, "neither is of this build");
        write("src/c.c", "int c;\n");
        assert_eq!(recipe.first_changed(&root), Some(Outdated::New("src/c.c".into())));
        write("Makefile", "all: c\n");
        assert_eq!(recipe.first_changed(&root), Some(Outdated::Recipe("Makefile".into())));
        fs::remove_file(root.join("Makefile")).unwrap();
        assert_eq!(recipe.first_changed(&root), Some(Outdated::Recipe("Makefile".into())));
    }
}
