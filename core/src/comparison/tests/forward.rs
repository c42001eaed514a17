//! Forward slices and chops against backward ones.

use super::case::Recorded;
use super::programs::*;
use super::question::Question;
use crate::comparison::*;

#[test]
fn a_point_is_influenced_by_what_its_backward_slice_holds() {
    let programs = [
        (fig2(), vec![1, 2], vec![3, -2]),
        (fig4(), vec![7, 1, 1, 2], vec![8, 1, 3, -5]),
        (fig8(), vec![2, 0], vec![3, 0]),
        (ext_loop(), vec![2, 5], vec![4, 5]),
        (ext_switch(), vec![0, 1], vec![2, 3]),
    ];
    for (program, first, second) in programs {
        let recorded = Recorded::new(&program, &first, &second).unwrap();
        for run in &recorded.runs {
            for start in 0..run.points() {
                let forward = forward_slice(run, &[start]);
                for point in 0..run.points() {
                    assert_eq!(
                        forward.get(point),
                        dynamic_slice(run, point, None).get(start),
                        "{start} influences {point}"
                    );
                }
            }
            assert_eq!(forward_slice(run, &[]).count(), 0);
        }
    }
}

#[test]
fn a_chop_is_what_lies_between() {
    // Fig. 2, second run, 3 and -2: line 7 prints the x of line 1; nothing of y comes there.
    let program = fig2();
    let question = Question::new(&program, [&[1, 2], &[3, -2]], 3, (7, Some("x")));
    let run = &question.recorded.runs[1];
    let lines = |line: u32| -> Vec<u32> {
        let starts: Vec<u32> = (1..run.points()).filter(|point| program.line(run.site(*point)) == line).collect();
        let found = chop(run, &starts, &question.effect);
        found.iter().map(|point| program.line(run.site(*point))).collect()
    };
    assert_eq!((lines(1), lines(2)), (vec![1, 7], vec![]));
    // Fig. 4, second run: z is 4 by line 8, which line 7 decides by y and z of lines 3 and 4; where line 4 reads depends on line 3.
    let program = fig4();
    let question = Question::new(&program, [&[7, 1, 1, 2], &[8, 1, 3, -5]], 5, (11, Some("z")));
    let run = &question.recorded.runs[1];
    let starts: Vec<u32> = (1..run.points()).filter(|point| program.line(run.site(*point)) == 3).collect();
    let found = chop(run, &starts, &question.effect);
    let lines: Vec<u32> = found.iter().map(|point| program.line(run.site(*point))).collect();
    assert_eq!(lines, [3, 4, 7, 8, 9, 11]);
}
