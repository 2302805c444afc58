//! Inputs that hold the same submissions: an export and its database, or two exports of one.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::reports::{Place, Report};

/// Fewer submissions than these may all be equal by chance.
const SEVERAL: usize = 5;

/// The submissions of one input, by their numbers. Each has a digest of what is read of it: 16 bytes a submission.
pub(super) struct Submissions {
    file: String,
    digests: HashMap<i64, u64>,
}

impl Submissions {
    pub(super) fn of(file: String) -> Self {
        Self { file, digests: HashMap::new() }
    }

    /// Notes a report, if it is a submission.
    pub(super) fn add(&mut self, report: &Report) {
        let Report { place: Place::Submission(number), content, columns, time, .. } = report else { return };
        let mut digest = DefaultHasher::new();
        format!("{content:?}").hash(&mut digest);
        (columns, time).hash(&mut digest);
        self.digests.insert(*number, digest.finish());
    }

    /// Whether all submissions whose number both have are equal, and these are several. Every collector counts from 1. So a
    /// few submissions of two collectors are equal by chance, but not all of several.
    fn is_twice(&self, other: &Self) -> bool {
        let both = || self.digests.iter().filter_map(|(number, digest)| Some((digest, other.digests.get(number)?)));
        both().count() >= SEVERAL && both().all(|(one, other)| one == other)
    }
}

/// Two of the inputs that hold the same submissions, if there are any.
pub(super) fn twice(inputs: &[Submissions]) -> Option<[&str; 2]> {
    inputs.iter().enumerate().find_map(|(number, later)| {
        let earlier = inputs[..number].iter().find(|earlier| earlier.is_twice(later))?;
        Some([earlier.file.as_str(), later.file.as_str()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::Content;

    fn input(file: &str, rows: &[(i64, &str)]) -> Submissions {
        let mut input = Submissions::of(file.to_owned());
        for (number, text) in rows {
            input.add(&report(Place::Submission(*number), text));
        }
        input
    }

    fn report(place: Place, text: &str) -> Report {
        let content = Content::Text(text.to_owned());
        let time = Some("2026-11-24".to_owned());
        Report { place, content, guarantee: None, is_seeded: false, columns: Vec::new(), time, count: 1 }
    }

    #[test]
    fn inputs_are_the_same_where_all_numbers_that_both_have_are_of_equal_submissions() {
        let october = input("october", &[(1, "a"), (2, "b"), (3, "a"), (4, "a"), (5, "b"), (6, "a"), (7, "a")]);
        let november = input("november", &[(3, "a"), (4, "a"), (5, "b"), (6, "a"), (7, "a"), (8, "b")]);
        let elsewhere = input("elsewhere", &[1, 2, 3, 4, 5, 6, 7].map(|number| (number, "a")));
        let later = input("later", &[(3, "a"), (4, "a"), (5, "b"), (6, "a")]);
        assert_eq!(twice(&[elsewhere, later, october, november]), Some(["october", "november"]));
        let mut lines = Submissions::of("lines".to_owned());
        lines.add(&report(Place::Line(3), "a"));
        assert_eq!(twice(&[lines, input("november", &[1, 2, 3, 4, 5].map(|number| (number, "a")))]), None);
    }
}
