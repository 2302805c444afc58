//! What is left of a panic: where it happened, and nothing of what it says.
//!
//! A panic ends at the boundary, as an error of the language that called. But first the standard library
//! prints its message, and a message may quote the text: that of a failed slice does.

use std::io::{self, Write};
use std::panic::{self, Location};
use std::sync::Once;

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
    let place = place.map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
    format!("textveil has failed{place}; nothing was released")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_by_its_place() {
        let told = notice(Some(Location::caller()));
        assert!(told.contains(concat!(file!(), ":")), "{told}");
        assert_eq!(notice(None), "textveil has failed; nothing was released");
    }
}
