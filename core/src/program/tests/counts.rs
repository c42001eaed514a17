//! What stopped processes count, worked out by hand.

use super::*;

#[test]
fn a_node_that_was_not_reached_in_the_last_piece_does_not_count() {
    let (functions, n_counters) = small();
    let section = table(&functions, n_counters, ALL_MODES);
    let program = Program::from_sections([("a.o", &section[..])], "/project").unwrap();
    let hash = program.units[0].hash;
    // A process that came through piece 0 once and was killed in piece 1.
    let killed = |values: [u64; 3]| {
        let mut counters = vec![0; n_counters as usize];
        for (edge, count) in program.edges.iter().zip([1, 1, 0, 0, 0]) {
            edge.values_counter.iter().for_each(|counter| counters[*counter as usize] = count);
        }
        let mut state = [0; STATE_WORDS];
        state[STATE_LAST] = u64::from(piece_id(hash, 1));
        Recorded { mode: Mode::Values, ending: Ending::Signalled, state, counters, values: values.into() }
    };
    let recorder = Recorder::new(&program).unwrap();
    let did = |recorded: &[Recorded]| {
        let processes: Vec<Process> = recorded.iter().map(|recorded| recorded.process(hash)).collect();
        recorder.counts(&processes).unwrap().execution
    };
    let before = did(&[killed([5, 0, 0])]);
    assert_eq!((before.pieces, before.nodes, before.stopped_in), (vec![1, 1, 0], vec![1, 0, 0], vec![1]));
    assert_eq!(before.trajectories.iter().map(|hash| *hash == 0).collect::<Vec<_>>(), [false, true, true]);
    assert_eq!(did(&[killed([5, 6, 0])]).nodes, [1, 1, 0], "killed behind the node");
    assert_eq!(did(&[killed([0, 6, 0])]).nodes, [1, 1, 0], "the hash of a value may be 0 elsewhere");
    assert_eq!(did(&[killed([5, 0, 0]), killed([5, 6, 0])]).nodes, [2, 1, 0]);
}
