//! The nights as small plots, and as a table.

use super::markup::Markup;
use crate::report::{NightPoint, Report, percent, utc};

/// Width of a night and height of a plot, pixels.
const STEP: usize = 14;
const HEIGHT: f64 = 48.0;

/// A plot: its heading, and for each night a share of the plot's height, with the number in words.
struct Plot {
    heading: &'static str,
    values: Vec<Option<(f64, String)>>,
}

pub fn write(report: &Report, page: &mut Markup) {
    let nights = &report.nights;
    page.element("div", &[("class", "plots")], |page| {
        plots(nights).iter().for_each(|plot| write_plot(plot, nights, page))
    });
    page.element("details", &[], |page| {
        page.element("summary", &[], |page| page.text(&format!("The {} nights as a table", nights.len())));
        let columns = ["Night", "Recorded", "Failing", "Passing", "First line", "Rank of the function"];
        page.table("Nights", &columns, nights.len(), |at, page| {
            let night = &nights[nights.len() - 1 - at];
            page.element("th", &[("scope", "row")], |page| page.text(&night.id.to_string()));
            page.cell(&utc(night.began));
            page.number(&night.failing.to_string());
            page.number(&night.passing.to_string());
            page.number(&night.first.map_or_else(|| "\u{2013}".to_owned(), percent));
            page.number(&night.rank.map_or_else(|| "\u{2013}".to_owned(), |rank| format!("#{rank}")));
        });
    });
}

fn plots(nights: &[NightPoint]) -> [Plot; 3] {
    let most = nights.iter().map(|night| night.failing).max().unwrap_or(0).max(1);
    let failing = |night: &NightPoint| {
        let share = f64::from(night.failing) / f64::from(most);
        Some((share, format!("{} of {} tests fail", night.failing, night.failing + night.passing)))
    };
    let first = |night: &NightPoint| night.first.map(|first| (first, format!("first line {}", percent(first))));
    // The first rank is the whole height, the second one half of it.
    let rank = |night: &NightPoint| night.rank.map(|rank| (1.0 / f64::from(rank.max(1)), format!("rank {rank}")));
    let plot = |heading, value: &dyn Fn(&NightPoint) -> Option<(f64, String)>| Plot {
        heading,
        values: nights.iter().map(value).collect(),
    };
    [
        plot("Failing tests", &failing),
        plot("Probability of the first line", &first),
        plot("Rank of today's first function", &rank),
    ]
}

fn write_plot(plot: &Plot, nights: &[NightPoint], page: &mut Markup) {
    let (width, height) = (STEP * nights.len(), HEIGHT + 2.0);
    let said: Vec<String> = nights.iter().zip(&plot.values).filter_map(|(night, value)| told(night, value)).collect();
    page.element("figure", &[], |page| {
        page.element("figcaption", &[], |page| page.text(plot.heading));
        let size = [width.to_string(), height.to_string()];
        let label = format!("{}: {}", plot.heading, said.join("; "));
        let attributes = [("role", "img"), ("aria-label", &*label), ("width", &*size[0]), ("height", &*size[1])];
        page.element("svg", &attributes, |page| {
            for (at, (night, value)) in nights.iter().zip(&plot.values).enumerate() {
                let Some((share, _)) = value else { continue };
                let bar = (share.clamp(0.0, 1.0) * HEIGHT).max(1.0);
                let place = [(at * STEP + 2).to_string(), format!("{:.1}", height - bar), format!("{bar:.1}")];
                let width = (STEP - 4).to_string();
                let class = if at + 1 == nights.len() { "now" } else { "then" };
                let attributes =
                    [("class", class), ("x", &place[0]), ("y", &place[1]), ("width", &width), ("height", &place[2])];
                page.element("rect", &attributes, |page| {
                    page.element("title", &[], |page| page.text(&told(night, value).unwrap_or_default()));
                });
            }
        });
    });
}

fn told(night: &NightPoint, value: &Option<(f64, String)>) -> Option<String> {
    Some(format!("night {}: {}", night.id, value.as_ref()?.1))
}
