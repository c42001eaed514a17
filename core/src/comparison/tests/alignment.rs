//! Joins, and alignment where calls, unwinding and ends of the process come in.

use crate::comparison::*;

const B: fn(u32, u32) -> Step = |site, outcome| Step::Point { site, outcome };

fn p(site: u32) -> Step {
    B(site, NONE)
}

/// Points of the first run with their partners, as sites, without the start.
fn aligned(joins: &[u32], first: &[Step], second: &[Step]) -> Vec<u32> {
    let alignment = align(first.iter().copied(), second.iter().copied(), &Joins::new(joins.to_vec()));
    let sites = [first, second].map(|steps| {
        let points =
            steps.iter().filter_map(|step| if let Step::Point { site, .. } = step { Some(*site) } else { None });
        [START].into_iter().chain(points).collect::<Vec<u32>>()
    });
    assert_eq!(alignment.points(), [sites[0].len() as u32, sites[1].len() as u32]);
    assert_eq!(alignment.unexplained(), 0);
    let pairs = (1..alignment.points()[0]).filter_map(|point| Some((point, alignment.partner(Side::First, point)?)));
    pairs
        .map(|(point, other)| {
            assert_eq!(alignment.partner(Side::Second, other), Some(point));
            assert_eq!(alignment.instance(Side::First, point), alignment.instance(Side::Second, other));
            assert_eq!(sites[0][point as usize], sites[1][other as usize]);
            sites[0][point as usize]
        })
        .collect()
}

#[test]
fn joins_are_immediate_post_dominators() {
    // 0: if (1: return | 2: while (3: if 4 else exit 5)) 6
    let flow = [vec![1, 2], vec![], vec![3, 6], vec![4, 5], vec![2], vec![], vec![]];
    let joins = Joins::from_flow(&flow, &[1, 6]);
    let found: Vec<u32> = (0..7).map(|site| joins.of(site)).collect();
    assert_eq!(found, [NONE, NONE, 6, 4, 2, NONE, NONE]);
}

#[test]
fn programs_that_only_end_by_exit_have_joins_too() {
    let flow = [vec![1, 2], vec![2], vec![3], vec![]];
    assert_eq!(Joins::from_flow(&flow, &[]).of(0), 2);
}

/// Blocks are sites of the same number, of which each decides.
fn with_ways_out(flow: &[Vec<u32>], returns: &[u32]) -> Joins {
    let blocks: Vec<(u32, Vec<u32>)> = (0..flow.len() as u32).map(|block| (block, vec![block])).collect();
    let mut meetings = Meetings::new(flow.len());
    meetings.add(flow, returns, &blocks);
    Joins::with_meetings(vec![NONE; flow.len()], meetings)
}

/// The places where two runs that part at `branch` may meet, from the nearest on.
fn meetings(joins: &Joins, branch: u32, sites: u32) -> Vec<u32> {
    let mut found: Vec<(u32, u32)> =
        (0..sites).filter_map(|site| Some((joins.nearness(branch, site)?, site))).collect();
    found.sort_unstable();
    found.into_iter().rev().map(|(_, site)| site).collect()
}

#[test]
fn a_return_out_of_a_loop_does_not_move_where_its_rounds_join() {
    // 1: while (1) { 2: if (3: return) 4: if (5) 6 } 7: rest; 8: return
    let flow = [vec![1], vec![2, 7], vec![3, 4], vec![8], vec![5, 6], vec![6], vec![1], vec![8], vec![]];
    let joins = with_ways_out(&flow, &[8]);
    assert_eq!(meetings(&joins, 1, 9), [7, 8]);
    assert_eq!(meetings(&joins, 2, 9), [4, 6, 1, 7, 8]);
    assert_eq!(meetings(&joins, 4, 9), [6, 1, 7, 8]);
    assert_eq!(meetings(&joins, 3, 9), [8]);
}

#[test]
fn a_condition_at_the_end_of_a_loop_and_breaks_lead_behind_it() {
    // do { 1: if (2: return) 3: if (4: break) 5 } while (6); 7: rest; 8: return
    let flow = [vec![1], vec![2, 3], vec![8], vec![4, 5], vec![7], vec![6], vec![1, 7], vec![8], vec![]];
    let joins = with_ways_out(&flow, &[8]);
    assert_eq!(meetings(&joins, 6, 9), [7, 8]);
    assert_eq!(meetings(&joins, 3, 9), [7, 8]);
    assert_eq!(meetings(&joins, 1, 9), [3, 7, 8]);
}

#[test]
fn a_loop_without_end_joins_where_its_next_round_begins() {
    // for (;;) 1: switch (2: if (3: return), 4, 5) 6; 7: return
    let flow = [vec![1], vec![2, 4, 5], vec![3, 6], vec![7], vec![6], vec![6], vec![1], vec![]];
    let joins = with_ways_out(&flow, &[7]);
    assert_eq!(meetings(&joins, 1, 8), [6, 1, 7]);
    assert_eq!(meetings(&joins, 2, 8), [6, 1, 7]);
}

#[test]
fn a_jump_out_of_two_loops_is_a_way_out_of_both() {
    // 1: while { 2: while { 3: if (4: goto 8) 5 } 6 } 7: rest; 8: return
    let flow = [vec![1], vec![2, 7], vec![3, 6], vec![4, 5], vec![8], vec![2], vec![1], vec![8], vec![]];
    let joins = with_ways_out(&flow, &[8]);
    assert_eq!(meetings(&joins, 2, 9), [6, 1, 7, 8]);
    assert_eq!(meetings(&joins, 1, 9), [7, 8]);
}

#[test]
fn who_goes_out_is_met_where_that_leads() {
    // 1: while { 2: if (3: return) 4 } 5: rest; 6: return
    let flow = [vec![1], vec![2, 5], vec![3, 4], vec![6], vec![1], vec![6], vec![]];
    let joins = with_ways_out(&flow, &[6]);
    let sites = |first: &[Step], second: &[Step]| {
        let alignment = align(first.iter().copied(), second.iter().copied(), &joins);
        let steps: Vec<u32> = first
            .iter()
            .filter_map(|step| if let Step::Point { site, .. } = step { Some(*site) } else { None })
            .collect();
        let both = |point: &u32| alignment.partner(Side::First, *point).is_some();
        (1..alignment.points()[0]).filter(both).map(|point| steps[point as usize - 1]).collect::<Vec<u32>>()
    };
    let round = [B(1, 0), B(2, 1), p(4)];
    let rest = [B(1, 1), p(5), p(6)];
    let twice = [[B(1, 0), B(2, 1), p(4)].as_slice(), &round, &rest].concat();
    let once = [round.as_slice(), &rest].concat();
    let out = [round.as_slice(), &[B(1, 0), B(2, 0), p(3), p(6)]].concat();
    // A round more or less: what comes after the loop corresponds.
    assert_eq!(sites(&once, &twice), [1, 2, 4, 1, 5, 6]);
    // One returns from the loop: the end alone does.
    assert_eq!(sites(&out, &twice), [1, 2, 4, 1, 2, 6]);
    assert_eq!(sites(&out, &once), [1, 2, 4, 1, 6]);
}

#[test]
fn regions_of_a_loop_nest_but_take_one_place() {
    // 1: while (2), 3
    let joins = Joins::new(vec![NONE, 3, NONE, NONE]);
    let mut recorder = Recorder::new(&joins);
    for outcome in [1, 1, 0] {
        recorder.point(1);
        recorder.branch(outcome);
        if outcome == 1 {
            recorder.point(2);
        }
    }
    recorder.point(3);
    let run = recorder.finish().unwrap();
    let parents: Vec<u32> = (0..run.points()).map(|point| run.parent(point)).collect();
    assert_eq!(parents, [NONE, NONE, 1, 1, 3, 3, NONE]);
}

#[test]
fn long_loops_take_no_memory() {
    let joins = Joins::new(vec![NONE, 3, NONE, NONE]);
    let mut regions = RegionStack::new(&joins);
    for round in 0..100 {
        regions.arrive(1);
        regions.branch(round);
        assert_eq!(regions.arrive(2), round);
    }
    assert_eq!(regions.open.len(), 1);
}

#[test]
fn points_of_a_call_stand_under_it() {
    // 1 calls: 2: if (3), returns; 4
    let joins = Joins::new(vec![NONE; 5]);
    let mut recorder = Recorder::new(&joins);
    recorder.point(1);
    recorder.enter();
    recorder.point(2);
    recorder.branch(1);
    recorder.point(3);
    recorder.leave();
    recorder.point(4);
    let run = recorder.finish().unwrap();
    let parents: Vec<u32> = (0..run.points()).map(|point| run.parent(point)).collect();
    assert_eq!(parents, [NONE, NONE, 1, 2, NONE]);
}

#[test]
fn recursion_meets_in_the_same_activation() {
    // f: 1: if (n) 2: f(n - 1), 3
    let joins = [NONE, 3, NONE, NONE, NONE];
    let inner = [vec![B(1, 1), p(2), Step::Enter], vec![B(1, 0), p(3)], vec![Step::Leave, p(3)]].concat();
    let deep = [vec![B(1, 1), p(2), Step::Enter], inner.clone(), vec![Step::Leave, p(3)]].concat();
    assert_eq!(aligned(&joins, &inner, &deep), [1, 2, 1, 3, 3]);
}

#[test]
fn early_returns_meet_behind_the_call() {
    // 1 calls: 2: if return, 3; then 4
    let early = [p(1), Step::Enter, B(2, 1), Step::Leave, p(4)];
    let late = [p(1), Step::Enter, B(2, 0), p(3), Step::Leave, p(4)];
    assert_eq!(aligned(&[NONE; 5], &early, &late), [1, 2, 4]);
}

#[test]
fn different_callees_meet_where_the_call_returns() {
    // 1: (*f)(), 2 is where it returns; the callees are 5 and 7
    let joins = [NONE, 2, NONE, NONE, NONE, NONE, NONE, NONE];
    let one = [B(1, 5), Step::Enter, p(5), p(2), Step::Leave, p(2), p(3)];
    let other = [B(1, 7), Step::Enter, p(7), Step::Leave, p(2), p(3)];
    assert_eq!(aligned(&joins, &one, &other), [1, 2, 3]);
}

#[test]
fn callbacks_of_libraries_need_not_be_as_many() {
    // 1: qsort(), 2; the comparison is 5
    let call = [Step::Enter, p(5), Step::Leave];
    let few = [vec![p(1)], call.to_vec(), vec![p(2), p(3)]].concat();
    let many = [vec![p(1)], call.to_vec(), call.to_vec(), vec![p(2), p(3)]].concat();
    assert_eq!(aligned(&[NONE; 6], &few, &many), [1, 5, 2, 3]);
    assert_eq!(aligned(&[NONE; 6], &many, &few), [1, 5, 2, 3]);
}

#[test]
fn unwinding_meets_where_the_conditional_on_setjmp_joins() {
    // 1: setjmp; 2: if (its value) 3 else 4: f(); 5.  f: 6: if (bad) 7: longjmp; 8
    let joins = [NONE, NONE, 5, NONE, NONE, NONE, 8, NONE, NONE];
    let good = [p(1), B(2, 0), p(4), Step::Enter, B(6, 0), p(8), Step::Leave, p(5)];
    let bad = [p(1), B(2, 0), p(4), Step::Enter, B(6, 1), p(7), Step::Unwind { depth: 0 }, p(1), B(2, 1), p(3), p(5)];
    assert_eq!(aligned(&joins, &good, &bad), [1, 2, 4, 6, 5]);
    assert_eq!(aligned(&joins, &bad, &good), [1, 2, 4, 6, 5]);
}

#[test]
fn unwinding_through_several_calls_without_a_conditional_meets_at_the_return() {
    // 1: g() calls 2: setjmp, 3: f(), which calls 4 and unwinds or not; then 9
    let good = [p(1), Step::Enter, p(2), p(3), Step::Enter, B(4, 0), p(5), Step::Leave, p(6), Step::Leave, p(9)];
    let bad =
        [p(1), Step::Enter, p(2), p(3), Step::Enter, B(4, 1), Step::Unwind { depth: 1 }, p(2), p(6), Step::Leave, p(9)];
    assert_eq!(aligned(&[NONE; 10], &good, &bad), [1, 2, 3, 4, 9]);
    assert_eq!(aligned(&[NONE; 10], &bad, &good), [1, 2, 3, 4, 9]);
}

#[test]
fn unwinding_to_the_call_itself_does_not_leave_it() {
    // 1: if (bad) { 2: setjmp; 3: if (its value) 9 else 4: f(), which unwinds; 6 } 7; 8
    let joins = [NONE, 7, NONE, 6, NONE, NONE, NONE, NONE, NONE, NONE];
    let good = [B(1, 0), p(7), p(8)];
    let there = [B(1, 1), p(2), B(3, 0), p(4), Step::Enter, p(5), Step::Unwind { depth: 0 }];
    let bad = [&there[..], &[p(2), B(3, 1), p(9), p(6), p(7), p(8)]].concat();
    assert_eq!(aligned(&joins, &good, &bad), [1, 7, 8]);
    assert_eq!(aligned(&joins, &bad, &good), [1, 7, 8]);
}

#[test]
fn unwinding_twice_before_the_conditional_on_setjmp_meets_where_it_joins() {
    // 1: setjmp; 10: g(), which unwinds or not; 2: if (...) 3 else 4: f(); 5.  f: 6: if (bad) 7: longjmp; 8
    let joins = [NONE, NONE, 5, NONE, NONE, NONE, 8, NONE, NONE, NONE, NONE, NONE];
    let there = [p(1), p(10), Step::Enter, p(11), Step::Leave, B(2, 0), p(4), Step::Enter];
    let good = [&there[..], &[B(6, 0), p(8), Step::Leave, p(5)]].concat();
    let again = [p(1), p(10), Step::Enter, p(11), Step::Unwind { depth: 0 }, p(1), B(2, 1), p(3), p(5)];
    let bad = [&there[..], &[B(6, 1), p(7), Step::Unwind { depth: 0 }], &again].concat();
    assert_eq!(aligned(&joins, &good, &bad), [1, 10, 11, 2, 4, 6, 5]);
    assert_eq!(aligned(&joins, &bad, &good), [1, 10, 11, 2, 4, 6, 5]);
}

#[test]
fn a_crash_leaves_the_rest_of_the_other_run_alone() {
    // 1: if (bad) 2: crash; 3
    let joins = [NONE, 3, NONE, NONE];
    let good = [B(1, 0), p(3)];
    let bad = [B(1, 1), p(2)];
    assert_eq!(aligned(&joins, &good, &bad), [1]);
    assert_eq!(aligned(&joins, &bad, &good), [1]);
    assert_eq!(aligned(&joins, &good, &good[..1]), [1], "nothing at all after the conditional");
}

#[test]
fn partings_that_nothing_accounts_for_are_counted() {
    let joins = Joins::new(vec![NONE; 5]);
    let one = [p(1), Step::Enter, p(2), Step::Leave, p(4)];
    let other = [p(1), Step::Enter, p(3), Step::Leave, p(4)];
    let alignment = align(one, other, &joins);
    assert_eq!(alignment.unexplained(), 1);
    assert_eq!(alignment.partner(Side::First, 3), Some(3), "together again behind the call");
    assert_eq!(alignment.partner(Side::First, 2), None);
}

#[test]
fn runs_of_two_builds_meet_behind_the_edit() {
    // Sites 1, 2, 3 and 4 are in both builds, in this order; 5 is in the first alone, 6 in the second.
    let joins = Joins::new(vec![NONE; 7]).with_edit(vec![0, 1, 2, 3, 4, NONE, NONE]);
    let pairs = |first: &[Step], second: &[Step]| {
        let alignment = align(first.iter().copied(), second.iter().copied(), &joins);
        assert_eq!(alignment.unexplained(), 0);
        let points = 1..alignment.points()[0];
        points.filter_map(|point| Some([point, alignment.partner(Side::First, point)?])).collect::<Vec<_>>()
    };
    // A statement that was changed, one that was added before it, and what it calls.
    assert_eq!(pairs(&[p(1), p(5), p(2)], &[p(1), p(6), p(2)]), [[1, 1], [3, 3]]);
    assert_eq!(pairs(&[p(1), p(5), Step::Enter, p(3), Step::Leave, p(2)], &[p(1), p(2)]), [[1, 1], [4, 2]]);
    // A condition around a statement: the run that does it comes to where the other one is.
    assert_eq!(pairs(&[p(1), p(5), p(4)], &[p(1), p(2), p(3), p(4)]), [[1, 1], [3, 4]]);
    assert_eq!(pairs(&[p(1), p(2), p(3), p(4)], &[p(1), p(6), p(4)]), [[1, 1], [4, 3]]);
    // A way out of the call: the caller goes on.
    let out = [p(1), Step::Enter, p(5), Step::Leave, p(4)];
    assert_eq!(pairs(&out, &[p(1), Step::Enter, p(2), p(3), Step::Leave, p(4)]), [[1, 1], [3, 4]]);
}
