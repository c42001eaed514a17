//! The trial file of one test: written once, then changed a little for each trial. Layout in [`suspect_format::trial`].

use std::fs::OpenOptions;
use std::mem::offset_of;
use std::path::Path;

use memmap2::MmapMut;
use suspect_format::abi::{Mode, PAGE};
use suspect_format::trial::{
    self as layout, CHANGED, FUEL_WORD, MAGIC, MOST_EXPECTED, NO_MUTANT, PROCESS_STARTED, Role, Stream, TrialHeader,
    TrialModule, TrialProcess, TrialResult, fuel_pages,
};
use suspect_format::{ENDIAN_TAG, trial};

use super::encode::{Encoded, Sites};
use super::{Oracle, TrialError};

/// Mutants that a file has room for.
pub(super) const BATCH: usize = 1024;
/// Overrides that a file has room for.
pub(super) const MOST_OVERRIDES: usize = 4 * BATCH;
/// Bytes of characters that a file has room for.
pub(super) const TEXT_ROOM: usize = 256 << 10;
/// Processes beyond the oracle's that a trial may start.
const MORE_PROCESSES: u32 = 64;

/// Words that hold a bit for each node.
pub(super) fn n_words(n_nodes: usize) -> usize {
    n_nodes.div_ceil(64)
}

/// As much of an expected output as trials are compared with.
pub(super) fn compared(expected: &[u8]) -> &[u8] {
    &expected[..expected.len().min(MOST_EXPECTED)]
}

/// A mapped trial file.
#[derive(Debug)]
pub(super) struct TrialFile {
    map: MmapMut,
    parts: Parts,
    /// What the header says at the start of a trial: mutants may write anything into the mapped one.
    header: TrialHeader,
}

/// What trials write is compared with this.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expected<'a> {
    pub bytes: &'a [u8],
    /// 0 for standard output, 1 for standard error.
    pub on: usize,
}

/// Where everything is; follows from the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    /// Nodes whose values are compared.
    n_nodes: usize,
    n_processes: usize,
    modules: usize,
    processes: usize,
    streams: usize,
    states: usize,
    overrides: usize,
    n_sites: usize,
    first_of_site: usize,
    first_of_mutant: usize,
    members: usize,
    results: usize,
    result_stride: usize,
    fuel: usize,
    n_fuel_pages: usize,
    expected: usize,
    n_expected: usize,
    expected_on: u32,
}

impl Parts {
    fn streams_of(&self, process: usize) -> usize {
        self.streams + process * self.n_nodes * size_of::<Stream>()
    }

    fn states_of(&self, process: usize) -> usize {
        self.states + process * self.n_nodes * 8
    }

    /// Where the words of a process's fuel are.
    fn fuel_of(&self, process: usize) -> impl Iterator<Item = usize> {
        let first = self.fuel + process * self.n_fuel_pages * PAGE + FUEL_WORD * 8;
        (0..self.n_fuel_pages).map(move |page| first + page * PAGE)
    }
}

/// How many mutants from the start of `encoded` one file holds, at least one.
pub(super) fn batch_len(encoded: &[&Encoded]) -> usize {
    let (mut text, mut overrides) = (TEXT_ROOM, MOST_OVERRIDES);
    let fits = |one: &&&Encoded| {
        let fits = one.text_len() <= text && one.order() <= overrides;
        (text, overrides) = (text.saturating_sub(one.text_len()), overrides.saturating_sub(one.order()));
        fits
    };
    encoded.iter().take(BATCH).take_while(fits).count()
}

impl TrialFile {
    /// Writes the file of a test to `path`. An output is compared with `expected`, see [`compared`].
    pub(super) fn create(
        path: &Path,
        oracle: &Oracle,
        sites: &Sites,
        expected: Expected,
    ) -> Result<TrialFile, TrialError> {
        let expected = Expected { bytes: compared(expected.bytes), ..expected };
        let plan = Plan::of(oracle, sites, expected);
        // A new one: what a killed worker left running may still write into the old one.
        let _ = std::fs::remove_file(path);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let file = file.map_err(TrialError::io("make the trial file", path))?;
        file.set_len(plan.length as u64).map_err(TrialError::io("make room for", path))?;
        // Reserved, so that a full disk is an error here and not a signal later.
        nix::fcntl::posix_fallocate(&file, 0, plan.length as i64)
            .map_err(|errno| TrialError::io("make room for", path)(errno.into()))?;
        // SAFETY: only processes of trials write the file, and only where nobody holds references.
        let map = unsafe { MmapMut::map_mut(&file) }.map_err(TrialError::io("map", path))?;
        let mut file = TrialFile { map, parts: plan.parts, header: plan.header(oracle, sites) };
        file.put_all(plan.parts.expected, expected.bytes);
        file.fill(&plan, oracle, sites);
        Ok(file)
    }

    /// Maps a file that [`TrialFile::create`] wrote.
    pub(super) fn open(path: &Path) -> Result<TrialFile, TrialError> {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(TrialError::io("open", path))?;
        // SAFETY: as in `create`.
        let map = unsafe { MmapMut::map_mut(&file) }.map_err(TrialError::io("map", path))?;
        let header: TrialHeader = get(&map, 0);
        let first: TrialProcess = get(&map, header.processes as usize);
        let is_fuelled = header.mode == Mode::Mutants as u32;
        let parts = Parts {
            n_nodes: if first.streams == 0 { 0 } else { header.n_nodes as usize },
            n_processes: header.n_processes as usize,
            modules: header.modules as usize,
            processes: header.processes as usize,
            streams: first.streams as usize,
            states: first.states as usize,
            fuel: header.fuel as usize,
            n_fuel_pages: if is_fuelled { fuel_pages(header.n_modules) as usize } else { 0 },
            overrides: header.overrides as usize,
            n_sites: header.n_sites as usize,
            first_of_site: header.first_of_site as usize,
            first_of_mutant: header.first_of_mutant as usize,
            members: header.members as usize,
            results: header.results as usize,
            result_stride: header.result_stride as usize,
            expected: header.expected as usize,
            n_expected: header.expected_length as usize,
            expected_on: header.expected_on,
        };
        Ok(TrialFile { map, parts, header })
    }

    fn fill(&mut self, plan: &Plan, oracle: &Oracle, sites: &Sites) {
        let n_processes = self.parts.n_processes;
        for (index, module) in oracle.modules.iter().enumerate() {
            let (at, words) = (self.parts.modules + index * size_of::<TrialModule>(), plan.words[index]);
            let known = sites.module(index);
            let entry = TrialModule {
                identity: module.identity,
                nodes: words as u64,
                n_words: module.words.len() as u64,
                first_operation: known.first_operation,
                n_operations: known.n_operations,
                first_gate: known.first_gate,
                n_gates: known.n_gates,
            };
            self.put(at, entry);
            self.put_all(words, &module.words);
        }
        for process in 0..=n_processes {
            self.clear_process(process);
            let streams = self.parts.streams_of(process);
            let Some(recorded) = oracle.processes.get(process) else { continue };
            let (values, ends) = recorded.parts();
            self.put_all(plan.values[process], values);
            let mut start = 0;
            for (node, end) in ends.iter().enumerate() {
                let values = (plan.values[process] + start * 8) as u64;
                self.put(streams + node * size_of::<Stream>(), Stream { values, length: (end - start) as u64 });
                start = *end;
            }
        }
        self.put(0, self.header);
    }

    /// What an output is compared with.
    pub(super) fn expected(&self) -> Expected<'_> {
        let bytes = &self.map[self.parts.expected..self.parts.expected + self.parts.n_expected];
        Expected { bytes, on: self.parts.expected_on as usize }
    }

    /// The header as processes have left it.
    pub(super) fn seen(&self) -> TrialHeader {
        get(&self.map, 0)
    }

    /// Changes the header that trials start with.
    pub(super) fn set_header(&mut self, change: impl FnOnce(&mut TrialHeader)) {
        change(&mut self.header);
        self.put(0, self.header);
    }

    /// Address of the header's word that a process writes its id to before it executes anything.
    pub(super) fn first_pid(&mut self) -> *mut u64 {
        self.map[offset_of!(TrialHeader, first_pid)..].as_mut_ptr().cast()
    }

    /// Puts mutants into the file; [`TrialFile::select`] or [`TrialFile::select_all`] makes them count.
    pub(super) fn set_mutants(&mut self, encoded: &[&Encoded]) {
        let mut overrides: Vec<(layout::Override, &[u8])> = Vec::new();
        for (mutant, one) in (0..).zip(encoded) {
            overrides.extend(one.overrides().map(|(bytes, text)| (layout::Override { mutant, ..*bytes }, text)));
        }
        // Members of one mutant at one site stay in their order.
        overrides.sort_by_key(|(one, _)| (one.site, one.mutant));
        let mut text = self.parts.overrides + MOST_OVERRIDES * size_of::<layout::Override>();
        let mut firsts = vec![0u32; self.parts.n_sites + 1];
        let mut of_mutants: Vec<Vec<u32>> = vec![Vec::new(); encoded.len()];
        for (index, (mut bytes, characters)) in overrides.into_iter().enumerate() {
            if bytes.change == layout::Change::Text as u32 {
                bytes.operand = text as u64;
                self.map[text..text + characters.len()].copy_from_slice(characters);
                text += characters.len().next_multiple_of(8);
            }
            self.put(self.parts.overrides + index * size_of::<layout::Override>(), bytes);
            firsts[bytes.site as usize + 1] += 1;
            of_mutants[bytes.mutant as usize].push(index as u32);
        }
        for site in 0..self.parts.n_sites {
            firsts[site + 1] += firsts[site];
        }
        self.put_all(self.parts.first_of_site, &firsts);
        let mut ends = vec![0u32];
        ends.extend(of_mutants.iter().scan(0, |end, members| {
            *end += members.len() as u32;
            Some(*end)
        }));
        self.put_all(self.parts.first_of_mutant, &ends);
        self.put_all(self.parts.members, &of_mutants.concat());
        // Nothing else of the header: what the last trial's processes left there says what is to be reset.
        (self.header.n_overrides, self.header.n_mutants) = (firsts[self.parts.n_sites], encoded.len() as u32);
        self.put(offset_of!(TrialHeader, n_overrides), self.header.n_overrides);
        self.put(offset_of!(TrialHeader, n_mutants), self.header.n_mutants);
    }

    /// Takes over how many mutants the tool has put into the file; before any trial of them runs.
    pub(super) fn take_mutants(&mut self) {
        let seen = self.seen();
        (self.header.n_overrides, self.header.n_mutants) = (seen.n_overrides, seen.n_mutants);
    }

    /// Makes mutant number `index` the only one, or none, of a process tree of its own.
    pub(super) fn select(&mut self, index: Option<u32>) {
        self.set_header(|header| {
            header.role = Role::Single as u32;
            header.selected = index.unwrap_or(NO_MUTANT);
        });
    }

    /// Makes all mutants a plan.
    pub(super) fn select_all(&mut self) {
        self.set_header(|header| {
            header.role = Role::Plan as u32;
            header.selected = NO_MUTANT;
        });
        let end = self.parts.results + self.header.n_mutants as usize * self.parts.result_stride;
        self.map[self.parts.results..end].fill(0);
    }

    /// Forgets what processes wrote.
    pub(super) fn reset(&mut self) {
        let started = match Role::Plan as u32 == self.header.role {
            true => self.parts.n_processes,
            false => self.seen().next_process as usize,
        };
        let parts = self.parts;
        for process in 0..started.min(self.parts.n_processes) {
            for word in parts.fuel_of(process) {
                self.put(word, 0i64);
            }
        }
        for process in 0..=started.min(self.parts.n_processes) {
            let states = self.parts.states_of(process);
            self.map[states..states + self.parts.n_nodes * 8].fill(0);
            self.clear_process(process);
        }
        self.put(0, self.header);
    }

    fn clear_process(&mut self, process: usize) {
        let (streams, states) = match self.parts.n_nodes {
            0 => (0, 0),
            _ => (self.parts.streams_of(process) as u64, self.parts.states_of(process) as u64),
        };
        let entry = TrialProcess { streams, states, used: 0, flags: 0, pid: 0 };
        self.put(self.parts.processes + process * size_of::<TrialProcess>(), entry);
    }

    fn process(&self, number: usize) -> TrialProcess {
        get(&self.map, self.parts.processes + number * size_of::<TrialProcess>())
    }

    /// Hooks and ticks of a process: ticks that are not left in the mode `mutants`.
    fn used(&self, number: usize) -> u64 {
        let process = self.process(number);
        if self.parts.n_fuel_pages == 0 || number == self.parts.n_processes || process.flags & PROCESS_STARTED == 0 {
            return process.used;
        }
        let left: i64 = self.parts.fuel_of(number).map(|word| get::<i64>(&self.map, word)).fold(0, i64::saturating_add);
        self.header.budget.min(i64::MAX as u64).saturating_sub(left.max(0) as u64)
    }

    /// Whether a process's node has not had the oracle's trajectory.
    fn differs(&self, process: usize, node: usize) -> bool {
        let state: u64 = get(&self.map, self.parts.states_of(process) + node * 8);
        let stream: Stream = get(&self.map, self.parts.streams_of(process) + node * size_of::<Stream>());
        state & CHANGED != 0 || state != stream.length
    }

    /// Hooks and ticks of the process that executed most.
    pub(super) fn longest(&self) -> u64 {
        (0..=self.parts.n_processes).map(|process| self.used(process)).max().unwrap_or(0)
    }

    /// What the processes of a trial did.
    pub(super) fn done(&self) -> Trajectories {
        let mut done = Trajectories { changed: vec![0; n_words(self.parts.n_nodes)].into(), used: 0, flags: 0 };
        for number in 0..=self.parts.n_processes {
            let process = self.process(number);
            done.flags |= process.flags;
            done.used = done.used.saturating_add(self.used(number));
            for node in (0..self.parts.n_nodes).filter(|node| self.differs(number, *node)) {
                done.changed[node / 64] |= 1 << (node % 64);
            }
        }
        done
    }

    /// Whether the first process had the oracle's trajectories.
    pub(super) fn plan_is_oracle(&self) -> bool {
        !(0..self.parts.n_nodes).any(|node| self.differs(0, node))
    }

    /// The members of each mutant and the overrides of each site, as a process finds them.
    #[cfg(test)]
    pub(super) fn mutants(&self) -> (Vec<Vec<layout::Override>>, Vec<Vec<layout::Override>>) {
        let header = self.seen();
        let number = |at: u64, index: u32| get::<u32>(&self.map, at as usize + 4 * index as usize);
        let one =
            |index: u32| get(&self.map, header.overrides as usize + size_of::<layout::Override>() * index as usize);
        let range = |at: u64, index: u32| number(at, index)..number(at, index + 1);
        let members =
            |mutant| range(header.first_of_mutant, mutant).map(|at| one(number(header.members, at))).collect();
        let of_site = |site| range(header.first_of_site, site).map(one).collect();
        ((0..header.n_mutants).map(members).collect(), (0..header.n_sites).map(of_site).collect())
    }

    /// What a plan found out about mutant number `index`, and the nodes' bits.
    pub(super) fn result(&self, index: usize) -> (TrialResult, Box<[u64]>) {
        let at = self.parts.results + index * self.parts.result_stride;
        let mut changed = vec![0u64; n_words(self.parts.n_nodes)];
        let bits = &self.map[at + size_of::<TrialResult>()..at + self.parts.result_stride];
        for (byte, at) in bits.iter().zip(0..self.parts.n_nodes.div_ceil(8)) {
            changed[at / 8] |= u64::from(*byte) << (8 * (at % 8));
        }
        (get(&self.map, at), changed.into())
    }

    fn put<T: Copy>(&mut self, at: usize, value: T) {
        self.put_all(at, &[value]);
    }

    fn put_all<T: Copy>(&mut self, at: usize, values: &[T]) {
        let room = &mut self.map[at..at + size_of_val(values)];
        // SAFETY: the room is as long as the values, which are plain words and records of such without padding.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr().cast(), room.as_mut_ptr(), room.len()) }
    }
}

/// What the processes of a trial did.
#[derive(Clone, Debug)]
pub(super) struct Trajectories {
    /// Bit of each node.
    pub changed: Box<[u64]>,
    /// Hooks and ticks, all processes together.
    pub used: u64,
    /// `PROCESS_*` bits of all processes.
    pub flags: u32,
}

/// Offsets while a file is laid out.
struct Plan {
    parts: Parts,
    words: Vec<usize>,
    values: Vec<usize>,
    length: usize,
}

impl Plan {
    /// What processes write is on pages of its own: header, processes, states, results.
    fn of(oracle: &Oracle, sites: &Sites, expected: Expected) -> Plan {
        let (n_nodes, n_processes) = (oracle.n_compared(), oracle.processes.len());
        let mut end = PAGE;
        let mut take = |bytes: usize, align: usize| {
            let at = end.next_multiple_of(align);
            end = at + bytes;
            at
        };
        let modules = take(oracle.modules.len() * size_of::<TrialModule>(), 8);
        let words = oracle.modules.iter().map(|module| take(module.words.len() * 4, 8)).collect();
        let streams = take((n_processes + 1) * n_nodes * size_of::<Stream>(), 8);
        let values = oracle.processes.iter().map(|process| take(process.parts().0.len() * 8, 8)).collect();
        let overrides = take(MOST_OVERRIDES * size_of::<layout::Override>() + TEXT_ROOM, 8);
        let n_sites = oracle.nodes.len() + sites.n_operations();
        let first_of_site = take((n_sites + 1) * 4, 8);
        let first_of_mutant = take((BATCH + 1) * 4, 8);
        let members = take(MOST_OVERRIDES * 4, 8);
        let (n_expected, expected_on) = (expected.bytes.len(), expected.on as u32);
        let expected = take(n_expected, 8);
        let processes = take((n_processes + 1) * size_of::<TrialProcess>(), PAGE);
        let states = take((n_processes + 1) * n_nodes * 8, PAGE);
        let result_stride = (size_of::<TrialResult>() + n_nodes.div_ceil(8)).next_multiple_of(8);
        let results = take(BATCH * result_stride, PAGE);
        let is_fuelled = sites.mode() == Mode::Mutants;
        let n_fuel_pages = if is_fuelled { fuel_pages(oracle.modules.len() as u32) as usize } else { 0 };
        let fuel = take(n_processes * n_fuel_pages * PAGE, PAGE);
        let length = take(0, PAGE);
        let parts = Parts {
            n_nodes,
            n_processes,
            modules,
            processes,
            streams,
            states,
            overrides,
            n_sites,
            first_of_site,
            first_of_mutant,
            members,
            results,
            result_stride,
            fuel,
            n_fuel_pages,
            expected,
            n_expected,
            expected_on,
        };
        Plan { parts, words, values, length }
    }

    fn header(&self, oracle: &Oracle, sites: &Sites) -> TrialHeader {
        let parts = &self.parts;
        TrialHeader {
            magic: MAGIC,
            version: trial::VERSION,
            endian: ENDIAN_TAG,
            length: self.length as u64,
            role: Role::Single as u32,
            n_modules: oracle.modules.len() as u32,
            n_nodes: oracle.nodes.len() as u32,
            n_processes: parts.n_processes as u32,
            max_processes: parts.n_processes as u32 + MORE_PROCESSES,
            mode: sites.mode() as u32,
            n_sites: parts.n_sites as u32,
            n_overrides: 0,
            n_mutants: 0,
            selected: NO_MUTANT,
            modules: parts.modules as u64,
            processes: parts.processes as u64,
            overrides: parts.overrides as u64,
            first_of_site: parts.first_of_site as u64,
            first_of_mutant: parts.first_of_mutant as u64,
            members: parts.members as u64,
            results: parts.results as u64,
            result_stride: parts.result_stride as u64,
            budget: u64::MAX,
            wall_ns: 0,
            output_fds: [-1; 2],
            output_limit: 0,
            next_process: 0,
            refusal: 0,
            refused_call: 0,
            n_done: 0,
            first_pid: 0,
            running: 0,
            gate: 0,
            fuel: parts.fuel as u64,
            expected: parts.expected as u64,
            expected_length: parts.n_expected as u64,
            busy_ns: 0,
            expected_on: parts.expected_on,
            reserved: 0,
        }
    }
}

fn get<T: Copy>(map: &[u8], at: usize) -> T {
    let room = &map[at..at + size_of::<T>()];
    // SAFETY: the room is as long as the value, which any bytes are.
    unsafe { room.as_ptr().cast::<T>().read_unaligned() }
}
