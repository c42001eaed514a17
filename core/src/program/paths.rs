//! Names of source files, by text alone.

/// `name` seen from `directory`, without `.`, `..` and doubled separators.
pub(super) fn join(directory: &str, name: &str) -> String {
    let whole =
        if name.starts_with('/') || directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
    let absolute = whole.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            _ => parts.push(part),
        }
    }
    let path = parts.join("/");
    if absolute { format!("/{path}") } else { path }
}

/// `path` seen from `root` if it lies below it.
pub(super) fn relative(root: &str, path: &str) -> String {
    let root = root.trim_end_matches('/');
    let below = path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
    below.filter(|below| !below.is_empty() && !root.is_empty()).unwrap_or(path).to_owned()
}

/// Whether a file is the system's: a header that the user did not write and cannot mend.
pub fn is_of_system(file: &str) -> bool {
    ["/usr/include/", "/usr/lib/", "/usr/local/include/"].iter().any(|place| file.starts_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_plain() {
        assert_eq!(join("/p/build", "../src/a.c"), "/p/src/a.c");
        assert_eq!(join("/p", "./a//b/./c.c"), "/p/a/b/c.c");
        assert_eq!(join("/p", "/q/../r.c"), "/r.c");
        assert_eq!(join("/", "../../a.c"), "/a.c");
        assert_eq!(join(".", "src/a.c"), "src/a.c");
        assert_eq!(join("", "../a.c"), "../a.c");
        assert_eq!(join("x", "../../a.c"), "../a.c");
    }

    #[test]
    fn only_what_lies_below_the_root_is_shortened() {
        assert_eq!(relative("/p", "/p/src/a.c"), "src/a.c");
        assert_eq!(relative("/p/", "/p/src/a.c"), "src/a.c");
        assert_eq!(relative("/p", "/pp/a.c"), "/pp/a.c");
        assert_eq!(relative("/p", "/usr/include/x.h"), "/usr/include/x.h");
        assert_eq!(relative("", "/usr/x.h"), "/usr/x.h");
        assert_eq!(relative("/p", "src/a.c"), "src/a.c");
    }
}
