//! What the user says about how causes are found, as the causal analyses take it.

use super::args::{ParentsArgument, Unidentified};
use super::exit::Failure;
use crate::causal::{Candidates, CdflOptions, EffectOptions, Missing, Parents, SafeRelation, StructureOptions};
use crate::mutation::load_code;
use crate::slice::Slicer;
use crate::store::Run;

/// How causes are found.
#[derive(Debug)]
pub struct CdflChoice {
    parents: Option<ParentsArgument>,
    unidentified: Option<Unidentified>,
    safe: SafeRelation,
}

impl CdflChoice {
    /// What was asked for; reads the program's code if that is needed.
    pub fn new(
        run: &Run,
        parents: Option<ParentsArgument>,
        unidentified: Option<Unidentified>,
    ) -> Result<CdflChoice, Failure> {
        let safe = match parents {
            Some(ParentsArgument::Safe) => {
                SafeRelation::new(Slicer::new(&run.program, &load_code(run)?).node_sources())
            }
            _ => SafeRelation::default(),
        };
        Ok(CdflChoice { parents, unidentified, safe })
    }

    /// Whether it is the paper's way.
    pub fn is_paper(&self) -> bool {
        self.parents == Some(ParentsArgument::Paper)
    }

    /// For ranking.
    pub fn options(&self) -> CdflOptions<'_> {
        let defaults = CdflOptions::default();
        let options = match self.parents {
            None | Some(ParentsArgument::Acyclic) => defaults,
            Some(ParentsArgument::Paper) => CdflOptions::paper(),
            Some(ParentsArgument::Markovian | ParentsArgument::Safe) => {
                CdflOptions { structure: self.structure(), ..defaults }
            }
        };
        CdflOptions { effects: self.effects(options.effects), ..options }
    }

    /// For a dependence model: Markovian parents unless others are asked for.
    pub fn structure(&self) -> StructureOptions<'_> {
        match self.parents {
            None | Some(ParentsArgument::Markovian) => StructureOptions::default(),
            Some(ParentsArgument::Acyclic) => {
                StructureOptions { parents: Parents::Acyclic, ..StructureOptions::default() }
            }
            Some(ParentsArgument::Safe) => {
                StructureOptions { candidates: Candidates::Safe(&self.safe), ..StructureOptions::default() }
            }
            Some(ParentsArgument::Paper) => StructureOptions::paper(),
        }
    }

    /// These options, but for what was asked for.
    pub fn effects(&self, options: EffectOptions) -> EffectOptions {
        let missing = match self.unidentified {
            None => return options,
            Some(Unidentified::Zero) => Missing::Zero,
            Some(Unidentified::Renormalised) => Missing::Renormalise,
            Some(Unidentified::Shared) => Missing::Shared,
        };
        EffectOptions { missing, ..options }
    }
}
