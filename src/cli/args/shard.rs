//! `--shard K/N`, and `--shard auto`: which part of the work this machine has, as whoever started it says.

/// Reads `2/4` or `auto`.
pub fn shard(text: &str) -> Result<(u32, u32), String> {
    match text {
        "auto" => of_environment(|name| std::env::var(name).ok().filter(|value| !value.is_empty())),
        text => part(text).ok_or_else(|| "a part such as 2/4, from 1/4 to 4/4, or `auto`".to_string()),
    }
}

fn part(text: &str) -> Option<(u32, u32)> {
    let (number, of) = text.split_once('/')?;
    valid(number.parse().ok()?, of.parse().ok()?)
}

fn valid(number: u32, of: u32) -> Option<(u32, u32)> {
    (1..=of).contains(&number).then_some((number, of))
}

/// A system that numbers its jobs.
struct System {
    name: &'static str,
    /// The variable with the job's number.
    number: &'static str,
    /// The variable with the first number, or the number itself.
    first: First,
    /// The variable with how many jobs there are; where the system does not say, the user has to.
    of: &'static str,
}

enum First {
    Number(u32),
    Variable(&'static str),
}

/// How many parts there are, where the system does not say.
const OF: &str = "SUSPECT_SHARDS";

const SYSTEMS: [System; 10] = [
    System {
        name: "Slurm",
        number: "SLURM_ARRAY_TASK_ID",
        first: First::Variable("SLURM_ARRAY_TASK_MIN"),
        of: "SLURM_ARRAY_TASK_COUNT",
    },
    System { name: "Kubernetes", number: "JOB_COMPLETION_INDEX", first: First::Number(0), of: OF },
    System { name: "GitLab", number: "CI_NODE_INDEX", first: First::Number(1), of: "CI_NODE_TOTAL" },
    System { name: "CircleCI", number: "CIRCLE_NODE_INDEX", first: First::Number(0), of: "CIRCLE_NODE_TOTAL" },
    System {
        name: "Buildkite",
        number: "BUILDKITE_PARALLEL_JOB",
        first: First::Number(0),
        of: "BUILDKITE_PARALLEL_JOB_COUNT",
    },
    System { name: "AWS Batch", number: "AWS_BATCH_JOB_ARRAY_INDEX", first: First::Number(0), of: OF },
    System { name: "PBS", number: "PBS_ARRAY_INDEX", first: First::Number(1), of: OF },
    System { name: "Grid Engine", number: "SGE_TASK_ID", first: First::Variable("SGE_TASK_FIRST"), of: OF },
    System { name: "GNU parallel", number: "PARALLEL_SEQ", first: First::Number(1), of: OF },
    System { name: "SUSPECT_SHARD", number: "SUSPECT_SHARD", first: First::Number(1), of: OF },
];

/// The part that the environment names.
fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Result<(u32, u32), String> {
    let number = |name: &str| variable(name).and_then(|value| value.trim().parse::<u32>().ok());
    // What the user sets by name comes before what a machine may happen to have.
    let mut systems = SYSTEMS.iter().rev();
    let Some((system, value)) = systems.find_map(|system| Some((system, number(system.number)?))) else {
        let names: Vec<&str> = SYSTEMS.iter().map(|system| system.number).collect();
        return Err(format!("no number of a job in the environment (none of {} is set); give K/N", names.join(", ")));
    };
    let Some(of) = number(system.of) else {
        return Err(format!(
            "{} is {value}, but {} does not say of how many; set it to the number of jobs",
            system.number, system.of
        ));
    };
    let first = match system.first {
        First::Number(first) => first,
        First::Variable(name) => number(name).unwrap_or(1),
    };
    // Arrays may have steps, of which the count alone does not tell.
    let step = number("SLURM_ARRAY_TASK_STEP").filter(|step| system.name == "Slurm" && *step > 0).unwrap_or(1);
    let position = value.checked_sub(first).map(|distance| distance / step + 1);
    position.and_then(|number| valid(number, of)).ok_or_else(|| {
        format!(
            "{} = {value} and {} = {of} name no part of a whole ({}: jobs count from {first})",
            system.number, system.of, system.name
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(variables: &[(&str, &str)]) -> Result<(u32, u32), String> {
        of_environment(|name| Some(variables.iter().find(|(known, _)| *known == name)?.1.to_string()))
    }

    #[test]
    fn parts_are_read() {
        assert_eq!(shard("2/4"), Ok((2, 4)));
        for wrong in ["0/4", "5/4", "4", "a/b", "1/0", ""] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_system_counts_in_its_own_way() {
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "7"),
            ("SLURM_ARRAY_TASK_MIN", "1"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
        ];
        assert_eq!(auto(&slurm), Ok((4, 4)));
        assert_eq!(
            auto(&[("SLURM_ARRAY_TASK_ID", "0"), ("SLURM_ARRAY_TASK_MIN", "0"), ("SLURM_ARRAY_TASK_COUNT", "2")]),
            Ok((1, 2))
        );
        assert_eq!(auto(&[("JOB_COMPLETION_INDEX", "3"), (OF, "4")]), Ok((4, 4)));
        assert_eq!(auto(&[("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "4")]), Ok((3, 4)));
        assert_eq!(auto(&[("CIRCLE_NODE_INDEX", "3"), ("CIRCLE_NODE_TOTAL", "4")]), Ok((4, 4)));
        assert_eq!(auto(&[("SGE_TASK_ID", "3"), ("SGE_TASK_FIRST", "1"), (OF, "4")]), Ok((3, 4)));
        assert_eq!(auto(&[("PARALLEL_SEQ", "1"), (OF, "4")]), Ok((1, 4)));
        assert_eq!(
            auto(&[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "9"), ("SUSPECT_SHARD", "2"), (OF, "3")]),
            Ok((2, 3))
        );
    }

    #[test]
    fn what_names_no_part_is_refused() {
        assert!(auto(&[]).unwrap_err().contains("SLURM_ARRAY_TASK_ID"));
        assert!(
            auto(&[("JOB_COMPLETION_INDEX", "3")]).unwrap_err().contains("SUSPECT_SHARDS does not say of how many")
        );
        assert!(auto(&[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "4")]).unwrap_err().contains("jobs count from 1"));
        assert!(auto(&[("JOB_COMPLETION_INDEX", "4"), (OF, "4")]).is_err());
    }
}
