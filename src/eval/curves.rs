//! Curves as SVG: the plots of evaluations and studies.

use std::fmt::Write;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 480.0;
/// The field of the curves: left, top, right, bottom.
const FIELD: (f64, f64, f64, f64) = (60.0, 40.0, 600.0, 430.0);
/// Colours that people who see few colours tell apart (Okabe and Ito), again with other strokes.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000"];
/// Parts that the marks of an axis divide it into.
const PARTS: u32 = 5;

/// A curve: its name, and the points that lines join, none below zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is called.
    pub label: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// A step curve from nothing to `end`: it rises at each point to the point's height.
    pub fn steps(label: &str, points: &[(f64, f64)], end: f64) -> Curve {
        let mut corners = vec![(0.0, 0.0)];
        let mut last = 0.0;
        for &(x, y) in points {
            corners.extend([(x, last), (x, y)]);
            last = y;
        }
        corners.push((end, last));
        Curve { label: label.to_string(), points: corners }
    }
}

/// An axis from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it counts.
    pub label: String,
    /// Its end, above 0.
    pub limit: f64,
    /// True if its numbers are shares, told in per cent.
    pub is_share: bool,
}

impl Axis {
    /// Of shares, from 0 to 1.
    pub fn share(label: &str) -> Axis {
        Axis { label: label.to_string(), limit: 1.0, is_share: true }
    }

    /// Of numbers up to `limit`.
    pub fn to(label: &str, limit: f64) -> Axis {
        Axis { label: label.to_string(), limit, is_share: false }
    }

    fn mark(&self, value: f64) -> String {
        if self.is_share { format!("{:.0} %", value * 100.0) } else { format!("{}", (value * 1e6).round() / 1e6) }
    }
}

/// The plot of curves over two axes.
pub fn draw_curves(title: &str, x: &Axis, y: &Axis, curves: &[Curve]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    text(&mut svg, FIELD.0, 22.0, "start", title);
    axes(&mut svg, x, y);
    for (at, curve) in curves.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let dashes = if at < COLOURS.len() { "" } else { " stroke-dasharray=\"6 3\"" };
        let style = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"{dashes}");
        let corners: Vec<String> = curve.points.iter().map(|point| corner(place(x, y, *point))).collect();
        line(&mut svg, &corners.join(" "), &style);
        let top = FIELD.1 + 10.0 + 20.0 * at as f64;
        line(&mut svg, &format!("{},{top} {},{top}", FIELD.2 + 20.0, FIELD.2 + 45.0), &style);
        text(&mut svg, FIELD.2 + 52.0, top + 4.0, "start", &curve.label);
    }
    svg.push_str("</svg>\n");
    svg
}

fn place(x: &Axis, y: &Axis, (right, up): (f64, f64)) -> (f64, f64) {
    (FIELD.0 + right / x.limit * (FIELD.2 - FIELD.0), FIELD.3 - up / y.limit * (FIELD.3 - FIELD.1))
}

fn corner((x, y): (f64, f64)) -> String {
    format!("{x:.1},{y:.1}")
}

fn axes(svg: &mut String, x: &Axis, y: &Axis) {
    for part in 0..=PARTS {
        let share = f64::from(part) / f64::from(PARTS);
        let (right, up) = (share * x.limit, share * y.limit);
        let ((across, bottom), (left, height)) = (place(x, y, (right, 0.0)), place(x, y, (0.0, up)));
        let grid = "fill=\"none\" stroke=\"#dddddd\"";
        line(svg, &format!("{across},{} {across},{bottom}", FIELD.1), grid);
        line(svg, &format!("{left},{height} {},{height}", FIELD.2), grid);
        text(svg, across, bottom + 18.0, "middle", &x.mark(right));
        text(svg, left - 6.0, height + 4.0, "end", &y.mark(up));
    }
    text(svg, (FIELD.0 + FIELD.2) / 2.0, HEIGHT - 10.0, "middle", &x.label);
    let middle = (FIELD.1 + FIELD.3) / 2.0;
    let turned = format!("<text transform=\"translate(16 {middle}) rotate(-90)\" text-anchor=\"middle\">");
    // Writing to a string cannot fail.
    let _ = writeln!(svg, "{turned}{}</text>", escaped(&y.label));
}

fn line(svg: &mut String, points: &str, style: &str) {
    let _ = writeln!(svg, "<polyline points=\"{points}\" {style}/>");
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>", escaped(text));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points of the first polyline whose stroke is the first colour: a curve, and no line of the grid.
    fn drawn(x: &Axis, y: &Axis, curve: Curve) -> String {
        let svg = draw_curves("t", x, y, &[curve]);
        let line = svg.lines().find(|line| line.contains(COLOURS[0])).unwrap();
        line.split('"').nth(1).unwrap().to_string()
    }

    #[test]
    fn step_curves_rise_in_steps_and_end_with_all_code() {
        // The field is 540 wide and 390 high.
        let share = Axis::share("");
        assert_eq!(
            drawn(&share, &share, Curve::steps("a", &[(0.5, 0.25), (0.75, 1.0)], 1.0)),
            "60.0,430.0 330.0,430.0 330.0,332.5 465.0,332.5 465.0,40.0 600.0,40.0"
        );
        assert_eq!(drawn(&share, &share, Curve::steps("a", &[], 1.0)), "60.0,430.0 600.0,430.0");
    }

    #[test]
    fn points_stand_by_the_limits_of_their_axes() {
        let curve = Curve { label: "a".into(), points: vec![(0.0, 0.0), (5.0, 20.0)] };
        assert_eq!(drawn(&Axis::to("n", 10.0), &Axis::to("m", 40.0), curve), "60.0,430.0 330.0,235.0");
    }

    #[test]
    fn names_cannot_break_the_plot() {
        let curve = Curve { label: "<b>".into(), points: Vec::new() };
        let svg = draw_curves("<script>&", &Axis::share("a<b"), &Axis::share("a&b"), &[curve]);
        assert!(svg.contains(">&lt;script&gt;&amp;") && !svg.contains("<script") && !svg.contains("<b>"), "{svg}");
        assert!(svg.contains(">a&lt;b<") && svg.contains(">a&amp;b<"), "{svg}");
    }
}
