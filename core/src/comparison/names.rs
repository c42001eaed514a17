//! Canonical names of objects and locations, shared by both runs (section 2, object naming).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::alignment::Instance;
use super::value::Place;

/// A map from small numbers, which nobody outside chooses.
pub type Table<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// A hash of a few numbers by multiplication.
#[derive(Debug, Default)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

/// Numbers objects by the instance that allocated them, so that objects of both runs have one number if they were allocated at
/// corresponding points; and locations by object and offset.
#[derive(Debug, Default)]
pub struct Names {
    objects: Table<(Instance, u32), u32>,
    locations: Table<Place, u32>,
    places: Vec<Place>,
}

impl Names {
    /// The object that `instance` allocated as its `nth` (an entered function allocates one for each local, the start one for each global).
    pub fn object(&mut self, instance: Instance, nth: u32) -> u32 {
        let next = self.objects.len() as u32;
        *self.objects.entry((instance, nth)).or_insert(next)
    }

    /// The object that `instance` allocated as its `nth`, if either run has it.
    pub fn known_object(&self, instance: Instance, nth: u32) -> Option<u32> {
        self.objects.get(&(instance, nth)).copied()
    }

    /// The number of `place`, a new one if need be.
    pub fn location(&mut self, place: Place) -> u32 {
        let next = self.places.len() as u32;
        let places = &mut self.places;
        *self.locations.entry(place).or_insert_with(|| {
            places.push(place);
            next
        })
    }

    /// The number of `place`, if either run has used it.
    pub fn known_location(&self, place: Place) -> Option<u32> {
        self.locations.get(&place).copied()
    }

    /// The place that `location` numbers.
    pub fn place(&self, location: u32) -> Place {
        self.places[location as usize]
    }

    /// How many locations there are.
    pub fn locations(&self) -> usize {
        self.places.len()
    }
}
