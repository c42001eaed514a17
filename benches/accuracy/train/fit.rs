//! Maximum conditional likelihood with a quadratic penalty, by limited-memory BFGS (Nocedal 1980) within bounds: weights keep to their signs.

use crate::data::Version;

/// Steps that the inverse Hessian is made from, and steps at most.
const MEMORY: usize = 10;
const STEPS: usize = 200;

/// What is known of weights before anything is fitted.
pub struct Prior {
    /// Where they start, and what they are held to.
    pub start: Vec<f64>,
    /// 1 for features that can only speak for a line (evidence that something there changes the verdict), -1 for those that can only speak
    /// against it, 0 for others. A weight has this sign or is 0.
    pub signs: Vec<f64>,
}

/// Minus the penalised log-likelihood and its gradient. A version's likelihood is the probability that one of its faulty lines is chosen, each line in
/// proportion to `exp(weights . features)`. Penalties are for weights away from where they start, in units of the features' `scales`.
fn objective(
    versions: &[&Version],
    weights: &[f64],
    scales: &[f64],
    (penalty, prior): (f64, &Prior),
    gradient: &mut [f64],
) -> f64 {
    gradient.fill(0.0);
    let mut value = 0.0;
    for version in versions {
        let scores = scores(version, weights);
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let odds: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let (mut all, mut faulty) = (0.0, 0.0);
        for (row, odds) in version.rows.iter().zip(&odds) {
            all += row.count * odds;
            faulty += row.faulty * odds;
        }
        // A faulty line that is hopeless must not make the likelihood infinite.
        let faulty = faulty.max(1e-300);
        value -= version.weight * (faulty / all).ln();
        for (row, odds) in version.rows.iter().zip(&odds) {
            let factor = version.weight * odds * (row.count / all - row.faulty / faulty);
            if factor != 0.0 {
                gradient.iter_mut().zip(&row.features).for_each(|(gradient, feature)| *gradient += factor * feature);
            }
        }
    }
    for (at, gradient) in gradient.iter_mut().enumerate() {
        let away = (weights[at] - prior.start[at]) * scales[at];
        value += penalty / 2.0 * away * away;
        *gradient += penalty * away * scales[at];
    }
    value
}

/// `weights . features` of each row.
pub fn scores(version: &Version, weights: &[f64]) -> Vec<f64> {
    version.rows.iter().map(|row| dot(&row.features, weights)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// For each feature its standard deviation among the lines of a version, in the mean over versions; a feature that is seldom there has at
/// least a tenth, or a few faults would give it any weight.
pub fn scales(versions: &[&Version], n_features: usize) -> Vec<f64> {
    let deviation = |feature: usize| {
        let variance = |version: &&Version| {
            let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
                version.rows.iter().map(|row| row.count * of(row.features[feature])).sum()
            };
            let count = sum(&|_| 1.0).max(1.0);
            let mean = sum(&|value| value) / count;
            sum(&|value| (value - mean).powi(2)) / count
        };
        let mean: f64 = versions.iter().map(variance).sum::<f64>() / versions.len().max(1) as f64;
        mean.sqrt().max(0.1)
    };
    (0..n_features).map(deviation).collect()
}

/// The weights that fit best, starting from the multiple of the prior's that does.
pub fn fit(versions: &[&Version], prior: &Prior, penalty: f64) -> Vec<f64> {
    let n_features = prior.start.len();
    let scales = scales(versions, n_features);
    let prior = Prior { start: scaled(versions, &prior.start), signs: prior.signs.clone() };
    let reachable: Vec<&Version> = versions.iter().copied().filter(|version| version.is_reachable()).collect();
    // In units of the scales, where one step length suits all.
    let plain =
        |weights: &[f64]| -> Vec<f64> { weights.iter().zip(&scales).map(|(weight, scale)| weight / scale).collect() };
    let evaluate = |weights: &[f64], gradient: &mut Vec<f64>| {
        gradient.resize(n_features, 0.0);
        let value = objective(&reachable, &plain(weights), &scales, (penalty, &prior), gradient);
        gradient.iter_mut().zip(&scales).for_each(|(gradient, scale)| *gradient /= scale);
        value
    };
    let start = prior.start.iter().zip(&prior.signs).map(|(weight, sign)| within(*weight, *sign));
    let mut weights: Vec<f64> = start.zip(&scales).map(|(weight, scale)| weight * scale).collect();
    let mut gradient = Vec::new();
    let mut value = evaluate(&weights, &mut gradient);
    let mut memory: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for _ in 0..STEPS {
        let free = free(&weights, &gradient, &prior.signs);
        let direction = descent(&masked(&gradient, &free), &free, &mut memory);
        let mut length = 1.0;
        let (next, next_gradient, next_value) = loop {
            let moved = weights.iter().zip(&direction).map(|(weight, step)| weight + length * step);
            let next: Vec<f64> = moved.zip(&prior.signs).map(|(weight, sign)| within(weight, *sign)).collect();
            let mut next_gradient = Vec::new();
            let found = evaluate(&next, &mut next_gradient);
            let slope: f64 = gradient.iter().zip(&next).zip(&weights).map(|((g, next), now)| g * (next - now)).sum();
            if found <= value + 1e-4 * slope || length < 1e-10 {
                break (next, next_gradient, found);
            }
            length /= 2.0;
        };
        let step: Vec<f64> = next.iter().zip(&weights).map(|(a, b)| a - b).collect();
        let bend: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        if dot(&step, &bend) > 1e-12 {
            memory.push((step, bend));
            if memory.len() > MEMORY {
                memory.remove(0);
            }
        }
        let is_done = (value - next_value).abs() < 1e-7 * value.abs().max(1.0);
        (weights, gradient, value) = (next, next_gradient, next_value);
        if is_done {
            break;
        }
    }
    plain(&weights)
}

/// The multiple of `weights` under which the versions are likeliest, of some that lie close together.
fn scaled(versions: &[&Version], weights: &[f64]) -> Vec<f64> {
    let times = |factor: f64| -> Vec<f64> { weights.iter().map(|weight| factor * weight).collect() };
    let loss = |factor: f64| {
        let reachable: Vec<&Version> = versions.iter().copied().filter(|version| version.is_reachable()).collect();
        let none = Prior { start: vec![0.0; weights.len()], signs: vec![0.0; weights.len()] };
        let ones = vec![1.0; weights.len()];
        objective(&reachable, &times(factor), &ones, (0.0, &none), &mut vec![0.0; weights.len()])
    };
    let factors = (-8..=8).map(|power| 1.25f64.powi(power));
    let best = factors.map(|factor| (loss(factor), factor)).min_by(|a, b| a.0.total_cmp(&b.0));
    times(best.map_or(1.0, |(_, factor)| factor))
}

/// The nearest weight that has this sign, or is 0.
fn within(weight: f64, sign: f64) -> f64 {
    if sign * weight < 0.0 { 0.0 } else { weight }
}

/// Which weights may move: not those at 0 that the gradient would give the wrong sign (projected gradients, Bertsekas 1982).
fn free(weights: &[f64], gradient: &[f64], signs: &[f64]) -> Vec<bool> {
    let is_free = |((weight, gradient), sign): ((&f64, &f64), &f64)| *weight != 0.0 || sign * gradient <= 0.0;
    weights.iter().zip(gradient).zip(signs).map(is_free).collect()
}

fn masked(values: &[f64], free: &[bool]) -> Vec<f64> {
    values.iter().zip(free).map(|(value, is_free)| if *is_free { *value } else { 0.0 }).collect()
}

/// A direction of the weights that are free in which the objective falls; what is remembered is forgotten when it gives none.
fn descent(gradient: &[f64], free: &[bool], memory: &mut Vec<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
    let found = masked(&direction(gradient, memory), free);
    if dot(gradient, &found) < 0.0 {
        return found;
    }
    memory.clear();
    direction(gradient, memory)
}

/// The two loops.
fn direction(gradient: &[f64], memory: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|value| -value).collect();
    let mut factors = Vec::new();
    for (step, bend) in memory.iter().rev() {
        let factor = dot(step, &direction) / dot(step, bend);
        direction.iter_mut().zip(bend).for_each(|(value, bend)| *value -= factor * bend);
        factors.push(factor);
    }
    let scale = match memory.last() {
        Some((step, bend)) => dot(step, bend) / dot(bend, bend),
        None => 1.0 / dot(gradient, gradient).sqrt().max(1.0),
    };
    direction.iter_mut().for_each(|value| *value *= scale);
    for ((step, bend), factor) in memory.iter().zip(factors.into_iter().rev()) {
        let other = dot(bend, &direction) / dot(step, bend);
        direction.iter_mut().zip(step).for_each(|(value, step)| *value += (factor - other) * step);
    }
    direction
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Row;

    /// A version of lines with these features, the first of them faulty.
    fn version(lines: &[[f64; 2]]) -> Version {
        let row = |(number, features): (usize, &[f64; 2])| Row {
            features: features.to_vec(),
            count: 1.0,
            faulty: f64::from(u8::from(number == 0)),
        };
        let rows = lines.iter().enumerate().map(row).collect();
        let (program, name, class) = ("p".into(), "p/v".into(), "c".into());
        Version { program, name, class, rows, tests: 9.0, weight: 1.0, trials: 0.0, seconds: 0.0 }
    }

    /// The first feature speaks for faulty lines, the second against them, both not always.
    fn versions() -> Vec<Version> {
        vec![
            version(&[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
            version(&[[0.0, 0.0], [0.0, 1.0]]),
            version(&[[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
            Version { weight: 0.5, ..version(&[[0.0, 1.0], [0.5, 0.0]]) },
        ]
    }

    fn fitted(signs: [f64; 2], penalty: f64) -> Vec<f64> {
        let versions = versions();
        fit(&versions.iter().collect::<Vec<_>>(), &Prior { start: vec![0.0; 2], signs: signs.to_vec() }, penalty)
    }

    #[test]
    fn weights_keep_to_their_signs() {
        let free = fitted([0.0, 0.0], 0.5);
        assert!(free[0] > 0.01 && free[1] < -0.01, "{free:?}");
        let held = fitted([1.0, 1.0], 0.5);
        assert!(held[0] > 0.01 && held[1] == 0.0, "{held:?}");
        let against = fitted([-1.0, -1.0], 0.5);
        assert!(against[0] == 0.0 && against[1] < -0.01, "{against:?}");
        assert_eq!(fitted([-1.0, 1.0], 0.5), [0.0, 0.0]);
    }

    #[test]
    fn the_gradient_is_that_of_the_objective_and_vanishes_where_it_is_fitted() {
        let versions = versions();
        let all: Vec<&Version> = versions.iter().collect();
        let prior = Prior { start: vec![0.0; 2], signs: vec![0.0; 2] };
        let scales = scales(&all, 2);
        let value = |weights: &[f64], gradient: &mut [f64]| objective(&all, weights, &scales, (0.5, &prior), gradient);
        for weights in [[0.3, -1.2], [2.0, 0.5]] {
            let mut gradient = vec![0.0; 2];
            value(&weights, &mut gradient);
            for at in 0..2 {
                let moved = |by: f64| {
                    let mut weights = weights;
                    weights[at] += by;
                    value(&weights, &mut [0.0; 2])
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - gradient[at]).abs() < 1e-6, "{slope} {gradient:?}");
            }
        }
        let mut gradient = vec![0.0; 2];
        value(&fitted([0.0, 0.0], 0.5), &mut gradient);
        assert!(gradient.iter().all(|slope| slope.abs() < 1e-2), "{gradient:?}");
    }

    #[test]
    fn a_version_ranked_with_two_suites_counts_as_one() {
        let (once, mut twice) = (versions(), versions());
        twice.extend(versions());
        twice.iter_mut().for_each(|version| version.weight /= 2.0);
        let fit = |versions: &[Version]| {
            let prior = Prior { start: vec![0.0; 2], signs: vec![0.0; 2] };
            fit(&versions.iter().collect::<Vec<_>>(), &prior, 0.5)
        };
        let (once, twice) = (fit(&once), fit(&twice));
        assert!(once.iter().zip(&twice).all(|(a, b)| (a - b).abs() < 1e-3), "{once:?} {twice:?}");
    }

    #[test]
    fn positions_are_the_mean_over_ties() {
        let one = version(&[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [2.0, 0.0]]);
        assert_eq!(one.position(&scores(&one, &[1.0, 0.0])), 2.5);
        assert_eq!(one.position(&scores(&one, &[-1.0, 0.0])), 2.5);
        assert_eq!(one.position(&scores(&one, &[0.0, -1.0])), 2.0);
        let none = Version { rows: Vec::new(), ..version(&[]) };
        assert!(none.position(&[]).is_infinite());
    }
}
