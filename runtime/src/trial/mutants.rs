//! The trial file's mutants: their members, and how often sites are executed while they matter.

use core::sync::atomic::{AtomicU64, Ordering};

use suspect_format::trial::{Change, Override, Role};

use crate::process::{COUNTS_ADDRESS, Process};
use crate::trial::file::{at, header};

/// An execution of a site under a mutant.
#[derive(Clone, Copy)]
pub struct At {
    /// The mutant; [`suspect_format::trial::NO_MUTANT`] has no members.
    pub mutant: u32,
    /// The site.
    pub site: u32,
    /// Which execution of the site it is, from 1.
    pub execution: u64,
}

impl At {
    /// The mutant's overrides that apply here.
    ///
    /// # Safety
    /// In a trial.
    pub unsafe fn members(&self) -> impl Iterator<Item = &'static Override> {
        let At { site, execution, .. } = *self;
        // SAFETY: vouched for by the caller.
        unsafe { members(self.mutant) }
            .filter(move |one| one.site == site && (one.instance == 0 || one.instance == execution))
    }

    /// Of a site that takes the address of characters: the override that counts here, of the characters or of the address, which becomes null.
    ///
    /// # Safety
    /// As [`At::members`].
    pub unsafe fn text(&self) -> Option<&'static Override> {
        const KINDS: [u32; 2] = [Change::Text as u32, Change::Set as u32];
        // SAFETY: vouched for by the caller.
        unsafe { self.members() }.filter(|one| KINDS.contains(&one.change)).last()
    }
}

/// Whether one of a mutant's overrides is of a single execution.
///
/// # Safety
/// The file is mapped.
pub unsafe fn counts(mutant: u32) -> bool {
    // SAFETY: vouched for by the caller.
    unsafe { members(mutant) }.any(|one| one.instance != 0)
}

/// All overrides of a mutant.
///
/// # Safety
/// The file is mapped.
pub unsafe fn members(mutant: u32) -> impl Iterator<Item = &'static Override> {
    // SAFETY: the tables were looked at before they were mapped; they are never written.
    let (next, end) = unsafe {
        let head = &*header();
        let first = at::<u32>(head.first_of_mutant).wrapping_add(mutant as usize);
        match mutant < head.n_mutants {
            true => ((*first).min(head.n_overrides), (*first.wrapping_add(1)).min(head.n_overrides)),
            false => (0, 0),
        }
    };
    (next..end).map(|position| {
        // SAFETY: as above.
        unsafe {
            let head = &*header();
            let number = *at::<u32>(head.members).wrapping_add(position as usize);
            &*override_at(number.min(head.n_overrides.wrapping_sub(1)))
        }
    })
}

/// Whether a process applies an override, or forks children that do.
///
/// # Safety
/// The file is mapped.
pub unsafe fn is_ours(process: &Process, one: &Override) -> bool {
    process.role.load(Ordering::Relaxed) == Role::Plan as u32 || one.mutant == process.mutant.load(Ordering::Relaxed)
}

/// Looks at the overrides that stand beside `one` in the file and are of the same function.
///
/// # Safety
/// `one` lies in the mapped file.
pub unsafe fn neighbours(one: &Override, look: impl Fn(&Override)) {
    // SAFETY: vouched for by the caller.
    unsafe {
        let (first, _) = overrides_of(one.site);
        let end = (*header()).n_overrides;
        let same = |index: u32| Some(&*override_at(index)).filter(|other| index < end && other.gate == one.gate);
        let mut index = first;
        while let Some(other) = same(index) {
            look(other);
            index = index.wrapping_add(1);
        }
        index = first.wrapping_sub(1);
        while index < end
            && let Some(other) = same(index)
        {
            look(other);
            index = index.wrapping_sub(1);
        }
    }
}

/// Override number `index` of the file.
///
/// # Safety
/// The file is mapped; `index` is less than the header's number of overrides.
pub unsafe fn override_at(index: u32) -> *const Override {
    // SAFETY: vouched for by the caller.
    unsafe { at::<Override>((*header()).overrides).wrapping_add(index as usize) }
}

/// The mutant of override number `index`, which has a result.
///
/// # Safety
/// As [`override_at`].
pub unsafe fn mutant_of(index: u32) -> u32 {
    // SAFETY: vouched for by the caller.
    unsafe { (*override_at(index)).mutant.min((*header()).n_mutants.wrapping_sub(1)) }
}

/// The numbers of the overrides of `site`: the first, and one past the last.
///
/// # Safety
/// The file is mapped; `site` is less than the header's number of sites.
pub unsafe fn overrides_of(site: u32) -> (u32, u32) {
    // SAFETY: there is one more entry than sites.
    unsafe {
        let first = at::<u32>((*header()).first_of_site).wrapping_add(site as usize);
        let most = (*header()).n_overrides;
        ((*first).min(most), (*first.wrapping_add(1)).min(most))
    }
}

/// Counts an execution of a site that has overrides which may apply: which one it is in this process, from 1.
///
/// # Safety
/// In a hook of a trial; `site` is less than the header's number of sites.
pub unsafe fn executed(site: u32) -> u64 {
    // SAFETY: there is a count for each override and one more; the site's is that of its first.
    let count = unsafe {
        let (first, _) = overrides_of(site);
        AtomicU64::from_ptr((COUNTS_ADDRESS as *mut u64).wrapping_add(first as usize))
    };
    let execution = count.load(Ordering::Relaxed).wrapping_add(1);
    count.store(execution, Ordering::Relaxed);
    execution
}

/// A process that the program has forked counts anew.
///
/// # Safety
/// In a trial.
pub unsafe fn forget_executions() {
    // SAFETY: as in `executed`.
    unsafe {
        let mut index = 0u32;
        while index <= (*header()).n_overrides {
            (COUNTS_ADDRESS as *mut u64).wrapping_add(index as usize).write(0);
            index = index.wrapping_add(1);
        }
    }
}
