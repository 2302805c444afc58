//! Many threads at one object, and many objects one after the other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Write, stdout};
use std::thread;
use std::time::{Duration, Instant};

use textveil_mobile::{Options, Statements, TextVeil, build_statements};

/// How long the threads hammer.
const HAMMERING: Duration = Duration::from_secs(10);

fn veil() -> TextVeil {
    TextVeil::new().expect("the table of the library")
}

#[test]
fn eight_threads_that_hammer_one_object_see_one_release_of_each_text() {
    let (veil, end) = (veil(), Instant::now() + HAMMERING);
    // All go the same way, so that they meet at every text: one draws, the others wait for it.
    let hammer = || {
        let ways = [false, true].map(|placeholders| Options { placeholders: Some(placeholders), ..Options::default() });
        let calls = ways.iter().cycle().enumerate().take_while(|_| Instant::now() < end);
        let release = |(number, options): (usize, _)| {
            let text = format!("Nurse number {number} was kind to my mother.");
            veil.privatize(&text, options, None, None).expect("a release").text
        };
        calls.map(release).collect::<Vec<_>>()
    };
    let seen: Vec<Vec<String>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(hammer)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let longest = seen.iter().max_by_key(|releases| releases.len()).expect("eight threads");
    assert!(seen.iter().all(|releases| !releases.is_empty() && longest.starts_with(releases)));
    let calls: usize = seen.iter().map(Vec::len).sum();
    // Not by `println`, which the test harness keeps to itself.
    writeln!(stdout(), "8 threads: {} calls a second on one object", calls as u64 / HAMMERING.as_secs())
        .expect("standard output");
}

#[test]
fn ten_thousand_objects_come_and_go_and_leave_no_byte() {
    let cycle = |number: u32| {
        let veil = veil();
        if number.is_multiple_of(100) {
            veil.privatize("The doctor was kind.", &Options::default(), None, None).expect("a release");
        }
    };
    // What is made once for all objects.
    cycle(0);
    let before = HELD.get();
    (0..10_000).for_each(cycle);
    assert_eq!(HELD.get(), before);
}

#[test]
fn a_thousand_lists_come_and_go_and_leave_no_byte() {
    let encoder = include_bytes!("../../tests/tables/encoder.tvt").to_vec();
    let lines = vec!["The app crashes.".to_owned(), "The price is high.".to_owned()];
    let list = build_statements(lines, encoder.clone(), None, None).expect("a list");
    let cycle = |_| {
        let statements =
            Statements::new(list.clone(), Some(encoder.clone()), Some(8.0), None, 1, false).expect("statements");
        statements.privatize("The doctor was kind.", None).expect("a release");
    };
    cycle(0);
    let before = HELD.get();
    (0..1_000).for_each(cycle);
    assert_eq!(HELD.get(), before);
}

/// The system's allocator, which counts the bytes that each thread holds.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: all calls are the system's; the count allocates nothing and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.set(HELD.get() + layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}
