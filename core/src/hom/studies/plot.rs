//! Bars as SVG.

use std::fmt::Write;

use super::{DecileTable, HeuristicTable, Spread, SurvivalTable};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
/// The field of the bars: left, top, right, bottom.
const FIELD: (f64, f64, f64, f64) = (60.0, 40.0, 700.0, 320.0);

/// A bar: a mean, and the standard deviation as a whisker.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What stands below it.
    pub label: String,
    /// Its height and spread.
    pub value: Spread,
}

/// A chart of bars, none of them negative. `axis` says what they count.
pub fn bar_chart(title: &str, axis: &str, bars: &[Bar]) -> String {
    let top = |bar: &Bar| bar.value.mean + bar.value.deviation;
    let limit = round_limit(bars.iter().map(top).fold(0.0, f64::max));
    let height = |value: f64| FIELD.3 - value / limit * (FIELD.3 - FIELD.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    text(&mut svg, (FIELD.0, 22.0), "start", &format!("{title} ({axis})"));
    for tick in 0..=4 {
        let value = limit * f64::from(tick) / 4.0;
        line(&mut svg, (FIELD.0, height(value)), (FIELD.2, height(value)), if tick == 0 { "black" } else { "#dddddd" });
        text(&mut svg, (FIELD.0 - 6.0, height(value) + 4.0), "end", &format!("{}", (value * 1e6).round() / 1e6));
    }
    let step = (FIELD.2 - FIELD.0) / bars.len().max(1) as f64;
    for (at, bar) in bars.iter().enumerate() {
        let middle = FIELD.0 + step * (at as f64 + 0.5);
        let (left, y) = (middle - step * 0.35, height(bar.value.mean));
        let (width, tall) = (step * 0.7, FIELD.3 - y);
        push(
            &mut svg,
            format_args!(
                "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{tall:.1}\" fill=\"#0072b2\"/>"
            ),
        );
        if bar.value.deviation > 0.0 {
            let low = (bar.value.mean - bar.value.deviation).max(0.0);
            line(&mut svg, (middle, height(low)), (middle, height(top(bar))), "black");
        }
        text(&mut svg, (middle, FIELD.3 + 16.0), "middle", &bar.label);
        text(&mut svg, (middle, FIELD.3 + 32.0), "middle", &format!("{:.1}", bar.value.mean));
    }
    svg.push_str("</svg>\n");
    svg
}

/// The end of an axis: a number of one digit and zeros that is not less than `value`; 1 for nothing.
pub fn round_limit(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let limits = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0].map(|digit| digit * power);
    limits.into_iter().find(|limit| *limit >= value).unwrap_or(10.0 * power)
}

fn push(svg: &mut String, element: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = writeln!(svg, "{element}");
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), colour: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    push(svg, format_args!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>"));
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    push(svg, format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"));
}

impl DecileTable {
    /// Strongly subsuming mutants by bucket, as SVG.
    pub fn svg(&self, program: &str) -> String {
        let label = |bucket: u32| if bucket == 0 { "CE = 0".to_string() } else { bucket.to_string() };
        let bars: Vec<_> = self.rows.iter().map(|row| Bar { label: label(row.bucket), value: row.strong }).collect();
        bar_chart(&format!("{program}: by causal effect"), "strongly subsuming mutants", &bars)
    }
}

impl HeuristicTable {
    /// Strongly subsuming mutants by heuristic, as SVG.
    pub fn svg(&self, program: &str) -> String {
        let bars: Vec<_> =
            self.rows.iter().map(|row| Bar { label: row.heuristic.clone(), value: row.strong }).collect();
        let title = format!("{program}: {} mutants of order {}", self.n, self.order);
        bar_chart(&title, "strongly subsuming mutants", &bars)
    }
}

impl SurvivalTable {
    /// Survival by set of mutants, as SVG.
    pub fn svg(&self, program: &str) -> String {
        let value = |rate: f64| Spread { mean: rate * 100.0, deviation: 0.0, least: rate * 100.0, most: rate * 100.0 };
        let bars: Vec<_> =
            self.rows.iter().map(|row| Bar { label: row.name.clone(), value: value(row.rate) }).collect();
        bar_chart(&format!("{program}: mutants that no test kills"), "per cent", &bars)
    }
}
