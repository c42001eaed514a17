//! Located faults against examined code, as SVG.

use super::{Axis, Curve, Summary, draw_curves};

/// Curves in a plot; with more methods, those that examine least.
pub const MOST_CURVES: usize = 12;

/// The plot of a summary: a step curve for each method.
pub fn plot(title: &str, summary: &Summary) -> String {
    let mut methods: Vec<_> = summary.methods.iter().collect();
    methods.sort_by(|a, b| a.exam.total_cmp(&b.exam));
    let n_methods = methods.len();
    methods.truncate(MOST_CURVES);
    let of = if n_methods > methods.len() {
        format!("; the best {} of {n_methods} methods", methods.len())
    } else {
        String::new()
    };
    let curves: Vec<Curve> = methods.iter().map(|method| Curve::steps(&method.method, &method.curve, 1.0)).collect();
    let title = format!("{title}: {} versions{of}", summary.versions);
    draw_curves(&title, &Axis::share("code examined, ties whole"), &Axis::share("faults located"), &curves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_counts_versions() {
        let summary = Summary { versions: 3, excluded: 0, methods: Vec::new(), comparisons: Vec::new() };
        assert!(plot("p", &summary).contains(">p: 3 versions<"));
    }
}
