//! Choices of how causes are found, as the causal analyses take them.

use crate::causal::{Candidates, CdflOptions, EffectOptions, Missing, Parents, SafeRelation, StructureOptions};
use crate::mutation::load_code;
use crate::obstacle::Obstacle;
use crate::slice::Slicer;
use crate::store::Run;

/// The nodes that causal analyses adjust for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentChoice {
    /// All intervention parents outside cycles.
    Acyclic,
    /// Markovian parents: those that matter beside the others.
    Markovian,
    /// Markovian parents among those that the code can make direct causes.
    Safe,
    /// As the paper: Markovian parents, both directions of cycles dropped, sampled values alone.
    Paper,
}

/// How causes are found.
#[derive(Debug)]
pub struct CdflChoice {
    parents: Option<ParentChoice>,
    unidentified: Option<Missing>,
    safe: SafeRelation,
}

impl CdflChoice {
    /// The choice that was asked for; reads the program's code if that is needed.
    pub fn new(
        run: &Run,
        parents: Option<ParentChoice>,
        unidentified: Option<Missing>,
    ) -> Result<CdflChoice, Obstacle> {
        let safe = match parents {
            Some(ParentChoice::Safe) => SafeRelation::new(Slicer::new(&run.program, &load_code(run)?).node_sources()),
            _ => SafeRelation::default(),
        };
        Ok(CdflChoice { parents, unidentified, safe })
    }

    /// True if it is the paper's way.
    pub fn is_paper(&self) -> bool {
        self.parents == Some(ParentChoice::Paper)
    }

    /// For ranking.
    pub fn options(&self) -> CdflOptions<'_> {
        let defaults = CdflOptions::default();
        let options = match self.parents {
            None | Some(ParentChoice::Acyclic) => defaults,
            Some(ParentChoice::Paper) => CdflOptions::paper(),
            Some(ParentChoice::Markovian | ParentChoice::Safe) => {
                CdflOptions { structure: self.structure(), ..defaults }
            }
        };
        CdflOptions { effects: self.effects(options.effects), ..options }
    }

    /// For a dependence model: Markovian parents unless others are asked for.
    pub fn structure(&self) -> StructureOptions<'_> {
        match self.parents {
            None | Some(ParentChoice::Markovian) => StructureOptions::default(),
            Some(ParentChoice::Acyclic) => {
                StructureOptions { parents: Parents::Acyclic, ..StructureOptions::default() }
            }
            Some(ParentChoice::Safe) => {
                StructureOptions { candidates: Candidates::Safe(&self.safe), ..StructureOptions::default() }
            }
            Some(ParentChoice::Paper) => StructureOptions::paper(),
        }
    }

    /// These options, but for what was asked for.
    pub fn effects(&self, options: EffectOptions) -> EffectOptions {
        match self.unidentified {
            None => options,
            Some(missing) => EffectOptions { missing, ..options },
        }
    }
}
