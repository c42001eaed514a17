//! What the optimiser made of expressions, kept from build to build. It is made anew where it cannot be read.

use std::collections::HashMap;
use std::fs;

use super::{Store, StoreError, encoding};

/// Kind of the frame.
pub(super) const KIND_FORMS: u32 = 21;

impl Store {
    /// Keeps what the optimiser of this number made of expressions, by hashes of these, in place of what was kept.
    pub fn save_forms(&self, optimiser: u64, forms: &HashMap<u64, u64>) -> Result<(), StoreError> {
        let mut pairs: Vec<(u64, u64)> = forms.iter().map(|(text, form)| (*text, *form)).collect();
        pairs.sort_unstable();
        self.create_own()?;
        encoding::write_bytes(&self.directory.join("forms"), &encoding::frame(0, KIND_FORMS, &(optimiser, pairs)))
    }

    /// What is kept of this optimiser; `None` if that is nothing that can be read.
    pub fn load_forms(&self, optimiser: u64) -> Option<HashMap<u64, u64>> {
        let bytes = fs::read(self.directory.join("forms")).ok()?;
        let mut kept: Option<(u64, Vec<(u64, u64)>)> = None;
        encoding::scan(&bytes, KIND_FORMS, |_, payload| {
            kept = encoding::decode(payload);
            Some(encoding::FRAME_HEADER + payload.len())
        });
        let (_, pairs) = kept.filter(|(of, _)| *of == optimiser)?;
        Some(pairs.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_those_of_one_optimiser_and_damaged_ones_are_none() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        assert_eq!(store.load_forms(7), None);
        let forms = HashMap::from([(1, 2), (3, 2)]);
        store.save_forms(7, &forms).unwrap();
        assert_eq!((store.load_forms(7), store.load_forms(8)), (Some(forms), None));
        let path = store.directory().join("forms");
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!(store.load_forms(7), None);
    }
}
