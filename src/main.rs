//! The `suspect` command, also installed as `suspect-cc`.

fn main() {}
