//! What reading a recorded run and ranking it costs, by its number of tests and of lines.
//!
//! `cargo bench --bench store` writes runs of made-up programs into a store and times `suspect rank` on them as a user would:
//! seconds of CPU, and peak memory. The slopes are the differences per added test and per added line. Then it times `suspect report` likewise,
//! with the size of what it writes; with SUSPECT_PAGES=DIR it leaves the pages there, for `node tests/page/check.mjs DIR/LINES --measure`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use suspect::program::{Execution, Program};
use suspect::store::{Manifest, STORE_VERSION, Store, Tables, TestRecord};
use suspect_format::site::{Edge, EdgeKind, Function, HEADER_LEN, Header, OUTSIDE, Piece, PieceEnd, Place, Sink, Unit};

/// Lines of each made-up function, each a piece of its own.
const LINES_OF_FUNCTION: u32 = 50;

struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

fn main() {
    println!("| tests | lines | method | CPU s | peak MiB |");
    println!("|---|---|---|---|---|");
    let mut seconds = Vec::new();
    for (n_tests, n_lines) in [(1000, 100_000), (500, 100_000), (1000, 50_000)] {
        let project = tempfile::tempdir().unwrap();
        write_run(project.path(), n_tests, n_lines);
        for method in ["ochiai", "cln", "blockrank"] {
            let (cpu, peak) =
                measured(project.path(), &["rank", "--format", "json", "--top", "10", "--method", method]);
            println!("| {n_tests} | {n_lines} | {method} | {cpu:.2} | {peak:.0} |");
            if method == "ochiai" {
                seconds.push(cpu);
            }
        }
    }
    println!(
        "per added test {:.0} µs, per added line {:.1} µs",
        (seconds[0] - seconds[1]) / 500.0 * 1e6,
        (seconds[0] - seconds[2]) / 50_000.0 * 1e6
    );
    println!("\n| tests | lines | report | CPU s | peak MiB | kB |");
    println!("|---|---|---|---|---|---|");
    [(1000, 10_000), (1000, 100_000)].into_iter().for_each(|(n_tests, n_lines)| report(n_tests, n_lines));
}

/// Times reports of a made-up run whose source is there.
fn report(n_tests: u32, n_lines: u32) {
    let project = tempfile::tempdir().unwrap();
    write_run(project.path(), n_tests, n_lines);
    let line = |number: u32| format!("    value = table[index + {number}] & mask; /* what line {number} says */\n");
    fs::write(project.path().join("made_up.c"), (1..=n_lines).map(line).collect::<String>()).unwrap();
    for format in ["json", "html"] {
        let (cpu, peak) = measured(project.path(), &["report", "--format", format, "--output", "out"]);
        let bytes = fs::metadata(project.path().join("out")).unwrap().len();
        println!("| {n_tests} | {n_lines} | {format} | {cpu:.2} | {peak:.0} | {} |", bytes / 1000);
    }
    if let Some(pages) = std::env::var_os("SUSPECT_PAGES") {
        let directory = Path::new(&pages).join(n_lines.to_string());
        fs::create_dir_all(&directory).unwrap();
        fs::copy(project.path().join("out"), directory.join("large.html")).unwrap();
    }
}

fn write_run(root: &Path, n_tests: u32, n_lines: u32) {
    let section = site_table(n_lines);
    let program = Program::from_sections([("made up", section.as_slice())], &root.to_string_lossy()).unwrap();
    let mut writer = Store::new(root).begin_run().unwrap();
    writer.save_tables(Tables::Sites, &[section]).unwrap();
    writer.save_tables::<Vec<u8>>(Tables::Dependences, &[]).unwrap();
    let mut tests = Vec::new();
    for test in 0..n_tests {
        writer.append(test, &execution(&program, test)).unwrap();
        tests.push(TestRecord {
            in_trials: None,
            name: format!("t{test}"),
            command: String::new(),
            passed: Some(test % 50 != 0),
            verdict: String::new(),
            mismatch: None,
            milliseconds: 1,
            processes: 1,
            state: 0,
        });
    }
    let manifest = Manifest {
        version: STORE_VERSION,
        began: 0,
        began_ns: 0,
        mode: "values".into(),
        test_code: Vec::new(),
        tests,
        unstable_nodes: Vec::new(),
        warnings: Vec::new(),
    };
    writer.finish(&manifest).unwrap();
}

/// One unit of functions without branches.
fn site_table(n_lines: u32) -> Vec<u8> {
    let mut body = Bytes(Vec::new());
    let n_functions = n_lines / LINES_OF_FUNCTION;
    let unit = Unit {
        source: "made_up.c",
        directory: "/",
        producer: "",
        modes: 15,
        n_counters: n_functions,
        n_values: 0,
        n_files: 1,
        n_functions,
        n_escapes: 0,
    };
    unit.encode(&mut body);
    body.text("made_up.c");
    for function in 0..n_functions {
        encode_function(function, &mut body);
    }
    let mut table = Bytes(Vec::with_capacity(HEADER_LEN + body.0.len()));
    Header::of(&body.0).encode(&mut table);
    table.put(&body.0);
    table.0
}

fn encode_function(number: u32, body: &mut Bytes) {
    let first_line = 1 + number * LINES_OF_FUNCTION;
    let place = |line| Place { file: 0, line, column: 0 };
    let function = Function {
        name: &format!("f{number}"),
        place: place(first_line),
        last_line: first_line + LINES_OF_FUNCTION - 1,
        external: true,
        content_hash: u64::from(number),
        n_pieces: LINES_OF_FUNCTION,
        n_edges: LINES_OF_FUNCTION + 1,
        n_nodes: 0,
        n_compounds: 0,
        n_variables: 0,
        n_operations: 0,
    };
    function.encode(body);
    for piece in 0..LINES_OF_FUNCTION {
        let end = if piece + 1 == LINES_OF_FUNCTION { PieceEnd::Return } else { PieceEnd::Branch };
        Piece { block: piece, end, n_lines: 1 }.encode(body);
        place(first_line + piece).encode(body);
    }
    let edge = |from, to, kind| Edge { from, to, kind, edges_counter: None, values_counter: None };
    let entry = Edge { edges_counter: Some(number), values_counter: Some(number), ..edge(OUTSIDE, 0, EdgeKind::Entry) };
    entry.encode(body);
    for piece in 1..LINES_OF_FUNCTION {
        edge(piece - 1, piece, EdgeKind::Always).encode(body);
    }
    edge(LINES_OF_FUNCTION - 1, OUTSIDE, EdgeKind::Return).encode(body);
}

/// A test that executes one function in six, another sixth than the next test, often.
fn execution(program: &Program, test: u32) -> Execution {
    let called =
        |function: u32| (function.wrapping_mul(2_654_435_761) >> 8).wrapping_add(test * 7919).is_multiple_of(6);
    let mut execution = Execution {
        edges: vec![0; program.edges.len()],
        pieces: vec![0; program.pieces.len()],
        ..Execution::default()
    };
    for (number, function) in (0..).zip(&program.functions).filter(|(number, _)| called(*number)) {
        let count = 1 + u64::from((number ^ test) % 1000);
        function.edges.clone().for_each(|edge| execution.edges[edge as usize] = count);
        function.pieces.clone().for_each(|piece| execution.pieces[piece as usize] = count);
    }
    execution
}

/// CPU seconds and peak MiB of the least of five runs.
fn measured(root: &Path, arguments: &[&str]) -> (f64, f64) {
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_suspect"));
        command.args(arguments).current_dir(root).stdout(Stdio::null());
        #[expect(clippy::zombie_processes, reason = "wait4 reaps it and says what it used, which `wait` does not")]
        let child = command.spawn().unwrap();
        let mut status = 0;
        // SAFETY: rusage is plain data that wait4 fills in; the pid is our own child's.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            assert_eq!(libc::wait4(child.id() as i32, &mut status, 0, &mut usage), child.id() as i32);
            usage
        };
        assert_eq!(status, 0);
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss as f64 / 1024.0)
    };
    (0..5).map(|_| run()).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}
