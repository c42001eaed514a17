//! The `suspect` command, also installed as `suspect-cc`.

fn main() -> std::process::ExitCode {
    suspect::cli::main()
}
