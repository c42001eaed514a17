//! The catalogue of ranking methods: every measure, and what ranks by other evidence than coverage.

use std::sync::OnceLock;

use crate::evidence::Criterion;
use crate::profile::blockrank::Reading;
use crate::spectra::measures::{self, Measure};

/// What a method reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Need {
    /// Which test executed which unit.
    Coverage,
    /// How often each run took each control-flow edge.
    Edges,
    /// How often each predicate was true and false in each run.
    Predicates,
    /// How often each evaluation sequence of a compound condition was followed in each run.
    Sequences,
    /// What each run executed of the static slice of its output.
    Slices,
    /// Which nodes, and whether the output, the value mutants of each node change in each test.
    Observations,
    /// What changes, tried on the failing tests and where they matter on the passing ones, did to each test.
    Trials,
}

impl Need {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Need::Coverage => "coverage",
            Need::Edges => "edge counts",
            Need::Predicates => "predicate counts",
            Need::Sequences => "evaluation sequences",
            Need::Slices => "slices",
            Need::Observations => "observations of value mutants",
            Need::Trials => "trials of changes",
        }
    }
}

/// How a method computes.
#[derive(Clone, Copy, Debug)]
pub enum Algorithm {
    /// A measure over spectra.
    Measure(&'static Measure),
    /// Doric's causal likelihood.
    CausalLikelihood,
    /// Doric's causal likelihood, updated as units are cleared.
    UpdatedCausalLikelihood,
    /// Doric's fault likelihood.
    FaultLikelihood,
    /// Propagation along suspicious edges.
    BlockRank(Reading),
    /// Propagation along normalised edges.
    Cp,
    /// Importance of predicates.
    Cbi,
    /// Divergence of evaluation biases.
    Sober,
    /// CBI on evaluation sequences.
    DesCbi,
    /// SOBER on evaluation sequences.
    DesSober,
    /// Executed code that the output may depend on.
    Slice,
    /// Slices of failing tests less those of passing tests.
    Dice,
    /// Causal dependence of the output, with the options given beside the observations.
    Cdfl,
    /// The same as its paper has it.
    CdflPaper,
    /// Share of a node's mutants that change the output.
    Interventional,
    /// What changes of each line did to the tests, by one criterion.
    Trials(Criterion),
    /// All evidence together.
    AllEvidence,
}

impl Algorithm {
    /// True if passing tests change nothing of what it computes: Doric's likelihoods are of the causal models of failures.
    pub fn reads_failing_tests_alone(&self) -> bool {
        matches!(self, Algorithm::CausalLikelihood | Algorithm::UpdatedCausalLikelihood | Algorithm::FaultLikelihood)
    }
}

/// A method that ranks.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// What `--method` takes.
    pub id: &'static str,
    /// What its authors call it.
    pub name: &'static str,
    /// What it is a kind of.
    pub family: &'static str,
    /// What it reads.
    pub needs: &'static [Need],
    /// What it computes, in a sentence or a formula.
    pub doc: &'static str,
    /// What else to know; may be empty.
    pub note: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// Other names that find it.
    pub aliases: &'static [&'static str],
    /// How it computes.
    pub algorithm: Algorithm,
}

const SLICES: &str = "slices";
const INTERVENTIONS: &str = "value mutants";
const TRIALS: &str = "trials of changes";
const CAUSAL: &str = "causal models";
const PROFILES: &str = "edge profiles";
const STATISTICAL: &str = "statistical debugging";
const DORIC: &str = "Landsberg & Barr, Doric: Foundations for Statistical Fault Localisation";

/// Methods that are not measures.
const OTHERS: &[Method] = &[
    Method {
        id: "cln",
        name: "causal likelihood",
        family: CAUSAL,
        needs: &[Need::Coverage],
        doc: "cl(i) = P(H_i | u_i): the chance that a test which executes the unit fails by it alone, all causal models of the failures being equally likely",
        note: "Computed in logarithms, so tests that execute thousands of units still tell units apart.",
        citation: DORIC,
        aliases: &["cl"],
        algorithm: Algorithm::CausalLikelihood,
    },
    Method {
        id: "clu",
        name: "causal likelihood with updates",
        family: CAUSAL,
        needs: &[Need::Coverage],
        doc: "as cln, taking each unit inspected for innocent and recomputing, for the first 20 units",
        note: "Units known to be innocent can be given and come last.",
        citation: DORIC,
        aliases: &[],
        algorithm: Algorithm::UpdatedCausalLikelihood,
    },
    Method {
        id: "pf",
        name: "fault likelihood",
        family: CAUSAL,
        needs: &[Need::Coverage],
        doc: "P(f_i) = 1 - prod_k (1 - P_k(h_i)): the chance that the unit was a cause of some failure, all causal models being equally likely",
        note: "Passing tests do not change it.",
        citation: DORIC,
        aliases: &["fault_likelihood"],
        algorithm: Algorithm::FaultLikelihood,
    },
    Method {
        id: "blockrank",
        name: "BlockRank",
        family: PROFILES,
        needs: &[Need::Edges],
        doc: "edges that failing runs take more often than passing ones give suspicion to the blocks they lead from; blocks that runs crash in keep what enters them",
        note: "As the worked example of its paper: the correction for crashes is not passed on. Where failing and passing runs enter a block equally often, for which the paper has no rule, it passes on what its edges carry.",
        citation: "Zhang, Chan, Tse & Jiang 2011 (COMPSAC)",
        aliases: &[],
        algorithm: Algorithm::BlockRank(Reading::Example),
    },
    Method {
        id: "blockrank_literal",
        name: "BlockRank to the letter",
        family: PROFILES,
        needs: &[Need::Edges],
        doc: "as blockrank, but a block that failing and passing runs enter equally often passes nothing on, so that all of a function called as often scores 0",
        note: "",
        citation: "Zhang, Chan, Tse & Jiang 2011 (COMPSAC)",
        aliases: &[],
        algorithm: Algorithm::BlockRank(Reading::Literal),
    },
    Method {
        id: "blockrank_recursive",
        name: "BlockRank, equation (8)",
        family: PROFILES,
        needs: &[Need::Edges],
        doc: "as blockrank_literal, passing the correction for crashes on to predecessors",
        note: "",
        citation: "Zhang, Chan, Tse & Jiang 2011 (COMPSAC)",
        aliases: &[],
        algorithm: Algorithm::BlockRank(Reading::Recursive),
    },
    Method {
        id: "cp",
        name: "CP (capturing propagation)",
        family: PROFILES,
        needs: &[Need::Edges],
        doc: "edges by (mean failing - mean passing) / (mean failing + mean passing); a block's suspicion is shared out among its predecessors by these weights",
        note: "From memory of the paper; the values printed for it in a later comparison mix normalised and plain weights.",
        citation: "Zhang, Chan, Tse, Jiang & Wang 2009 (ESEC/FSE)",
        aliases: &[],
        algorithm: Algorithm::Cp,
    },
    Method {
        id: "cbi",
        name: "CBI (cooperative bug isolation)",
        family: STATISTICAL,
        needs: &[Need::Predicates],
        doc: "Importance: the harmonic mean of how much a predicate's being true raises the chance of failure, and of the share of failing runs it is true in",
        note: "Predicates whose increase is not significant at 95% come after those whose is; redundant ones after the predicate that explains their runs.",
        citation: "Liblit, Naik, Zheng, Aiken & Jordan 2005 (PLDI)",
        aliases: &["importance_cbi"],
        algorithm: Algorithm::Cbi,
    },
    Method {
        id: "sober",
        name: "SOBER",
        family: STATISTICAL,
        needs: &[Need::Predicates],
        doc: "how improbable the mean share of true evaluations in failing runs is under its distribution in passing runs",
        note: "inf where passing runs never vary and failing ones differ from them, -inf where they do not.",
        citation: "Liu, Yan, Fei, Han & Midkiff 2005 (ESEC/FSE); Liu et al. 2006 (TSE 32(10))",
        aliases: &[],
        algorithm: Algorithm::Sober,
    },
    Method {
        id: "des_cbi",
        name: "DES-CBI",
        family: STATISTICAL,
        needs: &[Need::Sequences],
        doc: "CBI's Importance of each short-circuit evaluation sequence; a compound condition takes the maximum over its sequences",
        note: "From memory of the paper.",
        citation: "Zhang, Jiang, Chan & Tse 2008 (COMPSAC); Zhang et al. 2010 (JSS 83(2))",
        aliases: &[],
        algorithm: Algorithm::DesCbi,
    },
    Method {
        id: "des_sober",
        name: "DES-SOBER",
        family: STATISTICAL,
        needs: &[Need::Sequences],
        doc: "SOBER's score of each short-circuit evaluation sequence; a compound condition takes the maximum over its sequences",
        note: "From memory of the paper.",
        citation: "Zhang, Jiang, Chan & Tse 2008 (COMPSAC); Zhang et al. 2010 (JSS 83(2))",
        aliases: &[],
        algorithm: Algorithm::DesSober,
    },
    Method {
        id: "slice",
        name: "dynamic slice",
        family: SLICES,
        needs: &[Need::Slices],
        doc: "the share of failing tests whose slice holds the unit: the static backward slice from what the test put out, less what it did not execute",
        note: "Over-approximates: points-to is flow- and field-insensitive, and calls are not matched to returns. A test that was stopped is sliced from where, too.",
        citation: "Weiser 1984 (TSE 10(4)); Lee, Binkley, Feldt, Gold & Yoo (CPDA) for the intersection with coverage",
        aliases: &[],
        algorithm: Algorithm::Slice,
    },
    Method {
        id: "slice_dice",
        name: "dynamic dice",
        family: SLICES,
        needs: &[Need::Slices],
        doc: "the share of failing tests whose slice holds the unit, 0 where a passing test's slice holds it too",
        note: "Empty when passing tests depend on all that failing ones do. Not the coefficient called Dice.",
        citation: "Lyle & Weiser 1987; Agrawal, Horgan, London & Wong 1995 (ISSRE)",
        aliases: &[],
        algorithm: Algorithm::Dice,
    },
    Method {
        id: "cdfl",
        name: "CDFL (causal dependence for fault localisation)",
        family: INTERVENTIONS,
        needs: &[Need::Observations],
        doc: "mean over failing tests less mean over passing tests of P(output changes | do(node changes)) - P(output changes | do(node does not change))",
        note: "Adjusts for all intervention parents outside cycles and counts strata without estimate as 0, which ranks better than the paper's choices; both can be changed. What holds no mutated node comes last, by Ochiai.",
        citation: "Lee, Binkley, Feldt, Gold & Yoo, Causal Program Dependence Analysis (SCP 240, 2025)",
        aliases: &["causal_dependence"],
        algorithm: Algorithm::Cdfl,
    },
    Method {
        id: "cdfl_paper",
        name: "CDFL with Markovian parents",
        family: INTERVENTIONS,
        needs: &[Need::Observations],
        doc: "as cdfl, adjusting for the Markovian parents alone, both directions of cycles dropped, over the strata in which the node takes both values",
        note: "The reading under which the worked examples of the paper come out. What holds no mutated node comes last, by Ochiai.",
        citation: "Lee, Binkley, Feldt, Gold & Yoo, Causal Program Dependence Analysis (SCP 240, 2025)",
        aliases: &[],
        algorithm: Algorithm::CdflPaper,
    },
    Method {
        id: "direct",
        name: "interventional estimate",
        family: INTERVENTIONS,
        needs: &[Need::Observations],
        doc: "mean share of the node's own value mutants that change the output of failing tests, less that of passing tests",
        note: "Needs no causal structure. What holds no mutated node comes last, by Ochiai.",
        citation: "compare Papadakis & Le Traon 2015 (STVR 25(5-7)) for counting what mutants change",
        aliases: &["interventional"],
        algorithm: Algorithm::Interventional,
    },
    Method {
        id: "all_evidence",
        name: "all evidence together",
        family: TRIALS,
        needs: &[Need::Coverage, Need::Edges, Need::Trials],
        doc: "the probability that the fault is here: softmax of a weighted sum of what coverage, mutants, flips and repairs say of the line and of what is beside it",
        note: "What no failing test executes comes last, by Ochiai.",
        citation: "McFadden 1974 for the conditional logit",
        aliases: &["all", "combined"],
        algorithm: Algorithm::AllEvidence,
    },
    Method {
        id: "metallaxis",
        name: "Metallaxis",
        family: TRIALS,
        needs: &[Need::Coverage, Need::Trials],
        doc: "the highest failed(m) / sqrt(failing * (failed(m) + passed(m))) of the line's mutants m, where failed(m) and passed(m) are the tests whose output m changes",
        note: "Over all changes that were tried, of values and of code. Tests on which a change was not tried count by the share of those on which it was. What was not tried comes last, by Ochiai.",
        citation: "Papadakis & Le Traon 2012 (ICST); 2015 (STVR 25(5-7))",
        aliases: &[],
        algorithm: Algorithm::Trials(Criterion::Metallaxis),
    },
    Method {
        id: "metallaxis_values",
        name: "Metallaxis over values",
        family: TRIALS,
        needs: &[Need::Coverage, Need::Trials],
        doc: "as metallaxis, over changes of values alone",
        note: "",
        citation: "Papadakis & Le Traon 2012 (ICST); 2015 (STVR 25(5-7))",
        aliases: &[],
        algorithm: Algorithm::Trials(Criterion::MetallaxisValues),
    },
    Method {
        id: "muse",
        name: "MUSE",
        family: TRIALS,
        needs: &[Need::Coverage, Need::Trials],
        doc: "mean over the line's mutants of the share of failing tests that pass less alpha times the share of passing tests that fail, alpha making both alike over all mutants",
        note: "Over all changes that were tried, of values and of code. Tests on which a change was not tried count by the share of those on which it was. What was not tried comes last, by Ochiai.",
        citation: "Moon, Kim, Kim & Yoo 2014 (ICST)",
        aliases: &[],
        algorithm: Algorithm::Trials(Criterion::Muse),
    },
    Method {
        id: "muse_values",
        name: "MUSE over values",
        family: TRIALS,
        needs: &[Need::Coverage, Need::Trials],
        doc: "as muse, over changes of values alone",
        note: "",
        citation: "Moon, Kim, Kim & Yoo 2014 (ICST)",
        aliases: &[],
        algorithm: Algorithm::Trials(Criterion::MuseValues),
    },
    Method {
        id: "value_replacement",
        name: "value replacement",
        family: TRIALS,
        needs: &[Need::Coverage, Need::Trials],
        doc: "the number of failing tests that pass when some value of the line is replaced; equals by Tarantula",
        note: "Which values replace others is this tool's choice, not the paper's. What was not tried comes last, by Ochiai.",
        citation: "Jeffrey, Gupta & Gupta 2008 (ISSTA)",
        aliases: &["ivmp"],
        algorithm: Algorithm::Trials(Criterion::ValueReplacement),
    },
    Method {
        id: "predicate_switching",
        name: "predicate switching",
        family: TRIALS,
        needs: &[Need::Coverage, Need::Trials],
        doc: "1 if a failing test passes when one condition of the line goes the other way at one execution, else 0; equals by Ochiai",
        note: "Conditions that go the other way throughout count, too: those evaluated once are not told apart. Equals are the paper's to inspect in any order. What was not tried comes last, by Ochiai.",
        citation: "Zhang, Gupta & Gupta 2006 (ICSE)",
        aliases: &["critical_predicate"],
        algorithm: Algorithm::Trials(Criterion::PredicateSwitching),
    },
    Method {
        id: "flip",
        name: "flips",
        family: TRIALS,
        needs: &[Need::Coverage, Need::Trials],
        doc: "the share of failing tests that some change of the line makes pass; equals by Ochiai",
        note: "What was not tried comes last, by Ochiai.",
        citation: "compare Jeffrey, Gupta & Gupta 2008 (ISSTA); Zhang, Gupta & Gupta 2006 (ICSE)",
        aliases: &["flips"],
        algorithm: Algorithm::Trials(Criterion::Flip),
    },
    Method {
        id: "flip_share",
        name: "share of flips",
        family: TRIALS,
        needs: &[Need::Coverage, Need::Trials],
        doc: "the share of the line's changes that make a failing test pass; equals by Ochiai",
        note: "What was not tried comes last, by Ochiai.",
        citation: "compare Jeffrey, Gupta & Gupta 2008 (ISSTA)",
        aliases: &[],
        algorithm: Algorithm::Trials(Criterion::FlipShare),
    },
    Method {
        id: "repair",
        name: "repairs",
        family: TRIALS,
        needs: &[Need::Coverage, Need::Trials],
        doc: "the share of passing tests that still pass with the best change of the line that makes all failing tests pass, 0 without one; equals by Ochiai",
        note: "A repair has 1. Tests on which a change was not tried count by the share of those on which it was. What was not tried comes last, by Ochiai.",
        citation: "compare Debroy & Wong 2010 (ICST)",
        aliases: &["repairs"],
        algorithm: Algorithm::Trials(Criterion::Repair),
    },
];

/// Names in use beside those the catalogue of measures gives.
const EXTRA_ALIASES: &[(&str, &str)] = &[
    ("dstar", "dstar2"),
    ("d*", "dstar2"),
    ("op2", "naish2"),
    ("op", "naish2"),
    ("naish", "naish2"),
    ("op1", "naish1"),
    ("tau", "gk_tau_b"),
];

/// Every method: measures, then the rest. Families to come join here.
pub fn methods() -> &'static [Method] {
    static METHODS: OnceLock<Vec<Method>> = OnceLock::new();
    METHODS.get_or_init(|| {
        let measures = measures::all().iter().map(|measure| Method {
            id: measure.id,
            name: measure.name,
            family: measure.family.name(),
            needs: &[Need::Coverage],
            doc: measure.formula,
            note: measure.note,
            citation: measure.citation,
            aliases: &measure.aliases,
            algorithm: Algorithm::Measure(measure),
        });
        measures.chain(OTHERS.iter().copied()).collect()
    })
}

/// No method has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no method is called `{name}`{}", hint(.near))]
pub struct UnknownMethod {
    /// What was asked for.
    pub name: String,
    /// Ids that look like it, the likeliest first.
    pub near: Vec<&'static str>,
}

fn hint(near: &[&str]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", near.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" or ")),
    }
}

/// The method of this id, or with this name or alias if only one has it. Case, spaces, `-` and `_` do not matter.
pub fn find_method(name: &str) -> Result<&'static Method, UnknownMethod> {
    let wanted = plain(name);
    let by_id = |id: &str| methods().iter().find(|method| plain(method.id) == plain(id));
    let extra = EXTRA_ALIASES.iter().find(|(alias, _)| plain(alias) == wanted);
    if let Some(method) = by_id(name).or_else(|| extra.and_then(|(_, id)| by_id(id))) {
        return Ok(method);
    }
    let named =
        |method: &&Method| plain(method.name) == wanted || method.aliases.iter().any(|alias| plain(alias) == wanted);
    let mut candidates = methods().iter().filter(named);
    match (candidates.next(), candidates.next()) {
        (Some(method), None) if !wanted.is_empty() => Ok(method),
        _ => Err(UnknownMethod { name: name.to_string(), near: near(&wanted) }),
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).flat_map(char::to_lowercase).collect()
}

/// Up to three ids with a name close to `wanted`.
fn near(wanted: &str) -> Vec<&'static str> {
    let distance = |method: &Method| {
        let names = [method.id, method.name].into_iter().chain(method.aliases.iter().copied());
        names.map(|name| strsim::levenshtein(wanted, &plain(name))).min().unwrap_or(usize::MAX)
    };
    let mut found: Vec<(usize, &str)> = methods().iter().map(|method| (distance(method), method.id)).collect();
    found.sort_by_key(|(distance, _)| *distance);
    let allowed = (wanted.chars().count() / 3).max(1);
    found.into_iter().take_while(|(distance, _)| *distance <= allowed).take(3).map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_method_is_found_by_its_id_and_explains_itself() {
        let ids: HashSet<_> = methods().iter().map(|method| plain(method.id)).collect();
        assert_eq!(ids.len(), methods().len());
        assert_eq!(methods().len(), 221 + 26);
        for method in methods() {
            assert_eq!(find_method(method.id).unwrap().id, method.id);
            assert!(!method.doc.is_empty() && !method.citation.is_empty() && !method.needs.is_empty(), "{}", method.id);
        }
    }

    #[test]
    fn names_in_common_use_are_found() {
        for (name, id) in [
            ("Ochiai", "ochiai"),
            ("DStar", "dstar2"),
            ("D*", "dstar2"),
            ("Op2", "naish2"),
            ("cl", "cln"),
            ("SBI", "sbi"),
            ("blockrank-recursive", "blockrank_recursive"),
            ("des-cbi", "des_cbi"),
            ("Yule's Q", "yule_q"),
            ("Cosine", "ochiai"),
        ] {
            assert_eq!(find_method(name).map(|method| method.id), Ok(id), "{name}");
        }
    }

    #[test]
    fn unknown_names_suggest_what_may_be_meant() {
        assert_eq!(
            find_method("ochai").unwrap_err().to_string(),
            "no method is called `ochai`; did you mean `ochiai`?"
        );
        assert_eq!(find_method("quux-like-thing").unwrap_err().to_string(), "no method is called `quux-like-thing`");
        assert!(find_method("").is_err());
    }
}
