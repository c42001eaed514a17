//! Files that the user asked for, written whole or not at all.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::Serialize;

use super::exit::{Exit, Failure};

/// Writes a value as JSON with a line break at its end.
pub fn write_json(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

/// Writes `bytes` to `path` without colours; whoever reads it meanwhile sees the old file or the new one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let plain = anstream::adapter::strip_bytes(bytes).into_vec();
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        let readable = Permissions::from_mode(0o666);
        let mut file = tempfile::Builder::new().permissions(readable).tempfile_in(directory)?;
        file.write_all(&plain)?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|error| Failure::new(Exit::File, format!("cannot write {}: {error}", path.display())))
}
