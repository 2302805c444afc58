//! What is left of a panic: where it happened, and nothing of what it says.
//!
//! A panic ends at the boundary, as an error of the language that called. Its message may quote the text: that of a
//! failed slice does. The standard library prints it first, and uniffi hands it to the language.

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe, Location};
use std::sync::Once;

const NOTICE: &str = "textveil has failed; nothing was released";

/// What `work` gives. A panic in it goes on, and says the same sentence whatever it said. Each exported call that
/// takes a private text works in here.
pub(crate) fn without_words<T>(work: impl FnOnce() -> T) -> T {
    // What others use after a panic is whole: see `once`, and the locks of the objects.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| panic::resume_unwind(Box::new(NOTICE)))
}

/// From now on a panic prints its place alone, in builds that are shipped: who debugs wants the message.
///
/// A library that is loaded into another language has a standard library of its own, so that the hook is of
/// nobody else.
pub(crate) fn print_places_only() {
    static HOOK: Once = Once::new();
    if !cfg!(debug_assertions) {
        HOOK.call_once(|| {
            panic::set_hook(Box::new(|panic| {
                // Without standard error there is nobody to tell.
                let _ = writeln!(io::stderr(), "{}", notice(panic.location()));
            }));
        });
    }
}

fn notice(place: Option<&Location<'_>>) -> String {
    let Some(place) = place else { return NOTICE.to_owned() };
    let (file, line) = (place.file(), place.line());
    format!("textveil has failed at {file}:{line}; nothing was released")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files whose exported calls take private texts, vectors or answers.
    const EXPORTED: [&str; 5] = [
        include_str!("columns.rs"),
        include_str!("contributions.rs"),
        include_str!("statements.rs"),
        include_str!("text_vectors.rs"),
        include_str!("veil.rs"),
    ];
    /// How such a call names what is private.
    const PRIVATE: [&str; 6] =
        ["text: &str", "texts: Vec<String>", "token: &str", "column: &TextColumn", "vectors: Vec<", "index: u32"];

    #[test]
    fn each_exported_call_with_a_private_argument_works_without_words() {
        let mut calls = 0;
        for source in EXPORTED {
            for call in source.split("\n    pub fn ").skip(1) {
                let (signature, body) = call.split_once(" {\n").expect("a body");
                if PRIVATE.iter().any(|argument| signature.contains(argument)) {
                    calls += 1;
                    assert!(body.trim_start().starts_with("panics::without_words(|"), "{signature}");
                }
            }
        }
        // The other use is that of a column, which holds its texts itself.
        let uses = EXPORTED.iter().map(|source| source.matches("panics::without_words(").count()).sum::<usize>();
        assert_eq!((calls, uses), (16, 17));
    }

    #[test]
    fn a_panic_is_told_by_its_place() {
        let told = notice(Some(Location::caller()));
        assert!(told.contains(concat!(file!(), ":")), "{told}");
        assert_eq!(notice(None), NOTICE);
    }

    #[test]
    fn a_panic_goes_on_without_what_it_said() {
        let work = || without_words(|| -> u32 { panic::resume_unwind(Box::new("xylophonist".to_owned())) });
        let said = panic::catch_unwind(work).map_err(|payload| payload.downcast_ref::<&str>().copied());
        assert_eq!(said, Err(Some(NOTICE)));
        assert_eq!(without_words(|| 7), 7);
    }
}
