//! Located faults against examined code, as SVG.

use std::fmt::Write;

use super::Summary;

/// Curves in a plot; with more methods, those that examine least.
pub const MOST_CURVES: usize = 12;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 480.0;
/// The field of the curves: left, top, right, bottom.
const FIELD: (f64, f64, f64, f64) = (60.0, 40.0, 600.0, 430.0);
/// Colours that people who see few colours tell apart (Okabe and Ito), twice with other strokes.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000"];

/// The plot of a summary: a step curve for each method.
pub fn plot(title: &str, summary: &Summary) -> String {
    let mut methods: Vec<_> = summary.methods.iter().collect();
    methods.sort_by(|a, b| a.exam.total_cmp(&b.exam));
    let n_methods = methods.len();
    methods.truncate(MOST_CURVES);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let of = if n_methods > methods.len() {
        format!("; the best {} of {n_methods} methods", methods.len())
    } else {
        String::new()
    };
    text(&mut svg, FIELD.0, 22.0, "start", &format!("{title}: {} versions{of}", summary.versions));
    axes(&mut svg);
    for (at, method) in methods.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let dashes = if at < COLOURS.len() { "" } else { " stroke-dasharray=\"6 3\"" };
        let style = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"{dashes}");
        line(&mut svg, &steps(&method.curve), &style);
        let y = FIELD.1 + 10.0 + 20.0 * at as f64;
        line(&mut svg, &format!("{},{y} {},{y}", FIELD.2 + 20.0, FIELD.2 + 45.0), &style);
        text(&mut svg, FIELD.2 + 52.0, y + 4.0, "start", &method.method);
    }
    svg.push_str("</svg>\n");
    svg
}

fn place(examined: f64, located: f64) -> (f64, f64) {
    (FIELD.0 + examined * (FIELD.2 - FIELD.0), FIELD.3 - located * (FIELD.3 - FIELD.1))
}

/// The corners of a step curve from nothing to the whole code.
fn steps(curve: &[(f64, f64)]) -> String {
    let mut corners = vec![place(0.0, 0.0)];
    let mut last = 0.0;
    for &(examined, located) in curve {
        corners.extend([place(examined, last), place(examined, located)]);
        last = located;
    }
    corners.push(place(1.0, last));
    corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

fn axes(svg: &mut String) {
    for tenth in (0..=10).step_by(2) {
        let share = f64::from(tenth) / 10.0;
        let ((x, bottom), (left, y)) = (place(share, 0.0), place(0.0, share));
        let grid = "fill=\"none\" stroke=\"#dddddd\"";
        line(svg, &format!("{x},{} {x},{bottom}", FIELD.1), grid);
        line(svg, &format!("{left},{y} {},{y}", FIELD.2), grid);
        text(svg, x, bottom + 18.0, "middle", &format!("{} %", tenth * 10));
        text(svg, left - 6.0, y + 4.0, "end", &format!("{} %", tenth * 10));
    }
    text(svg, (FIELD.0 + FIELD.2) / 2.0, HEIGHT - 10.0, "middle", "code examined, ties whole");
    let middle = (FIELD.1 + FIELD.3) / 2.0;
    let label = "<text transform=\"translate(16 ";
    // Writing to a string cannot fail.
    let _ = writeln!(svg, "{label}{middle}) rotate(-90)\" text-anchor=\"middle\">faults located</text>");
}

fn line(svg: &mut String, points: &str, style: &str) {
    let _ = writeln!(svg, "<polyline points=\"{points}\" {style}/>");
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_rise_in_steps_and_end_with_all_code() {
        // The field is 540 wide and 390 high.
        assert_eq!(
            steps(&[(0.5, 0.25), (0.75, 1.0)]),
            "60.0,430.0 330.0,430.0 330.0,332.5 465.0,332.5 465.0,40.0 600.0,40.0"
        );
        assert_eq!(steps(&[]), "60.0,430.0 600.0,430.0");
    }

    #[test]
    fn names_cannot_break_the_plot() {
        let summary = Summary { versions: 0, excluded: 0, methods: Vec::new(), comparisons: Vec::new() };
        assert!(plot("a<b>&c", &summary).contains("a&lt;b&gt;&amp;c: 0 versions"));
    }
}
