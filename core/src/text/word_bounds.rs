//! The word boundaries of UAX #29, Unicode 17: `split_word_bounds` of the crate `unicode-segmentation` 1.13, to the
//! segment, for 4 kB less in a page after gzip.
//!
//! The crate stands in the tests: where it splits tells the class of every character, and so the table is printed.
//! Both depart from the letter of the standard in two strange places, behind a zero-width joiner. There a pictographic
//! letter (ℹ) is no letter for the next character. And a mark is inside a word if a joined pictographic follows it.
//!
//! Texts are split with one exception, which CLDR makes too: a colon is inside no word ("Diagnosis:diabetes" is two).

use alloc::vec::Vec;

use Class::*;

/// The classes of the characters from U+0080 on. Each run has the letter of a class and, in hexadecimal, the number of
/// characters in a row with it, unless that is one. Behind the last run all are `Other`.
///
/// Printed by `cargo test -p textveil word_bounds::tests::print -- --ignored --nocapture`.
const RUNS: &[u8] = b"\
-5V-23PL-2XP-6L-:L-L-5L17-L1f-L1e0-6L22X70L5-L2-2L4,L-6L:L3-L-L14-L53-L8b-X7La6-L26-2L4-L:L29,L-6X2d-X-X2-X2-X-8H1b-4\
H4L:-bN6-6,2-2Xb-X-3L2bX15Na-N,-L2XL63-LX7N-X6L2X2-X4L2NaL3-2L-fL2XL1eX1b-2L59XbL-eNaL21X9L2-2,-L-2X-2L16X4LX9LX3LX5\
-12L19X3-4Lb-5L18-L7N2-5X9L2aX18NX21L36X3LX12LX7LaX2-2Na-L10X3-L8-2L2-2L16-L7-L-3L4-2XLX7-2X2-2X3L-8X-4L2-L3X2-2NaL2-a\
L-X-2X3-L6-4L2-2L16-L7-L2-L2-L2-2X-X5-4X2-2X3-3X-7L4-L-7NaX2L3X-bX3-L9-L3-L16-L7-L2-L5-2XLX8-X3-X3-2L-fL2X2-2Na-9LX6-\
X3-L8-2L2-2L16-L7-L2-L5-2XLX7-2X2-2X3-7X3-4L2-L3X2-2Na-L-10XL-L6-3L3-L4-3L2-L-L2-3L2-3L3-3Lc-4X5-3X3-X4-2L-6X-eNa-10X5\
L8-L3-L17-L10-2XLX7-X3-X4-7X2-L3-L2-2L2X2-2Na-10LX3-L8-L3-L17-La-L5-2XLX7-X3-X4-7X2-5L3-L2X2-2Na-L2X-cX4L9-L3-L29X2LX7\
-X3-X4L-5L3X-7L3X2-2Na-aL6-X3-L12-3L18-L9-L-2L7-3X-4X6-X-X8-6Na-2X2-3dX-2X7-cX8-Na-57X-2X9-bX7-Na-26L-17X2-6Na-bX-X-X\
-4X2L8-L24-4X14-X2L5Xb-X24-9X-64X14-Na-cX4-4X3-X3-2X7-3X4-dXc-XNaX4-2L26-L-5L-2L2b-L14d-L4-2L7-L-L4-2L29-L4-2L21-L4-2\
L7-L-L4-2Lf-L39-L4-2L43-2X3-20L10-10L56-2L6-3L26c-2L11SL1a-5L4b-3Lb-7L12X4-9L13X3-bL12X2-cLd-L3-X2-40X20-9X-2Na-21X5Na\
-6L59-7L5X2L22XL-5L46-aL1f-Xc-4Xc-aNa-80Nb-25L17X5-39Xa-X1d-2XNa-6Na-16X2e-2Xc-14X5L2fX11L8-3Na-11X9-cX3L1eXdL2NaL2cXe\
-cL24X14-8Na-3L3NaL24-2Lb-5L2b-2L3-10X3-X15L4XL6XL2X3L-5Lc0X40L116-2L6-2L26-2L6-2L8-L-L-L-L1f-2L35-L7-L-3L3-L7-3L4-2L6\
-4Ld-5L3-L7-3S7-S3-XZX2-8.2-a.-2:V2X5_-cP-2_2-3,-4P-a_-aSX5-Xa-L-dL-10Ld-33X21-11L-4L-2La-L-3L5-4P-L-L-L-L4-LaQ-2L4-5\
L5-4L-11L29-bP6-fP2-16fP2-cP-a6P-19Pb-4P3-bbLcQL27-c0P2-aP-9P-3aP4-P5-9P-2P-2P2-2P-4P-2P-P2-2P-3P-3P2-8P3-5P-P-5Pc-bP2\
-2P-P2-P-12P-2P2-12P6-P-P2-3P2-5P-2P2-4P2-bP2-5P2-2P-5P2-P-P2-14P2-5P6-P4-2P-4P-2P-2P6-P-2P-P-P-6P-3P-6P-aP2-fP-2P-4P-\
P-4P3-P-bP2-30P3-9P-eP-eP-174P2-1cfP3-13P2-33P-4P-aaLe5-6L4X3L2-cL26-L-5L-2L38-7L-fXL17-9L7-L7-L7-L7-L7-L7-L7-L7-X20\
-2fL-1d0S-4L-24X6PK5-5L2P-5bX2K2-3K5b-K4-5L2b-L5e-11L20-30K10-97P-P-36K2f-K58-6ca8L48d-43L2e-2L10d-3L10NaL2-14L2fX4-Xa\
-L1fX2L50X2-16Ld5-14L11XL3XL4XL17X5-4X-13L34-cX2L32X12-aNa-6X12L6-3L-L2XNaL1cX8-2L17Xd-cL1d-3X4L2fXe-eLNa-bX-aNa-6L29\
Xe-9L3XL8X2-2Na-21X3-32X-X3-2X2-5X2-X-1eLbX5-2L3X2-aL6-2L6-2L6-9L7-L7-L3a-6L73X8-X2-2Na-6L2ba4-cL17-4L31-2304L7-cL5-5H\
XHa-Hd-H5-H-H2-H2-HaL62-21L16b-12L40-2L36-28Lc-4X10-3:-cX10-3_2-18_3,-.-,:-1aL5-L87-2X-7.-4,-.-Na:,-5L1a-4_-L1a-bK38X2\
L1f-3L6-2L6-2L6-2L3-1cX3-4Lc-L1a-L13-L2-Lf-2Le-22L7b-45L35-88X-82L1d-3L31-fX-1fL20-dL1e-5L26X5-5L1e-2L24-4L8-L5-2aL9e\
-2Na-6L24-4L24-4L28-8L34-cLb-Lf-L7-L2-Lb-Lf-L7-L2-3L34-cL137-9L16-aL8-18L6-L2a-L9-45L6-2L-L2c-L2-3L-2L17-aL17-9L1f-41\
L13-L2-aL16-aL1a-6L1a-26L38-6L2-40LX3-X2-5X4L4-L3-L1d-2X3-4X-20L1d-3L1d-23L8-L1cX2-19L36-aL16-aL13-dL12-6eL49-37L33-d\
L33-dL24X4-8Na-6NaL1c-3X5-L17-faL2a-X2-3L2-10L6-32X6L1d-aL-8L16Xb-1fL12X4-2aL15-1bL17-9X3L35Xf-1fNaXL2X2L-9X4L2dXb-2N\
-4X-aN-2L19-7Na-6X3L24Xe-Na-4LX2L-8L23X-2L-9X3L30XeL4-4X4-X2NaL-L-23L12-L19Xc-6XL2X-3eL7-L-L4-Lf-La-7L2fXc-5Na-6X4-L8\
-2L2-2L16-L7-L2-L5-X2LX7-2X2-2X3-2L-6X-5L5X2-2X7-3X5-bLa-L-2L-L26-LX9-X-2X-X4-X5LXL-dX2-1dL35X12L4-5Na-4XL3-1eL30X14L2\
-L-8Na-a6L2fX7-2X9-17L4X2-22L30X11-3L-bNa-26L2bXdL-7Na-6N14-39Xf-4Na-c6L2cXf-65L40Na-15L8-2L-2L8-L2-L18X6-X2-2X4LXLX2\
-cNa-46L8-2L27X7-2X7L-LX-1bLXaL28X7LX4-8X-8LXbL2eX10-3L-12L49-67X8-58L21-fNa-6L9-L25X8-X8L-fNa-18L1e-2X16-Xe-49L7-L2-\
L26X6-3X-X2-X7LX-8Na-6L6-L2-L20X5-X2-X5L-7Na-6L2c-4Na-f6L13X4-9X2LXLd-L22X7-3X5-dNaX-55L-4fL39a-66L6f-11Lc4-a4cL61-f\
L430X11L6Xf-aLf9b-5L247-1ab9L1eX12Na-6c6L239-7L1f-Na-6L4f-Na-6L1e-2X5-bL30X7-9L4-cNa-9L15-5L13-1b0L2d-3Na-c6L40-20L19\
-2L19-2cL4b-4XLX37-7X4Ld-40L2-LX-bX2-3ffeK4-K7-K2-K-11fK3-32K-eK4-a98L6b-5Ld-3L9-7La-3X2-X4-104cNa-206X2e-2X17-21eX5-3\
X16-2X7-1eX4-94X3-1bbL55-L47-L2-2L-2L2-2L4-Lc-L-L7-L41-L4-2L8-L7-L1c-L4-L5-L-3L7-L154-2L19-L19-L1f-L19-L1f-L19-L1f-L19\
-L1f-L19-L8-2N32-200X37-4X32-8X-eX-16X5-Xf-450L1f-6L6-d5X7-X11-2X7-X2-X5-5L3e-21X-70L2d-3X7L7-2Na-4L-141L1eX-11L2cX4Na\
-1d6L1cX4Na-d6L1eX2LNa-c5L1f-L3XL2XL7X2L5X-8L2-e0L7-L4-L2-Lf-Lc5-bX7-29L44X7L-4Na-4a6L4-L1b-L2-L-2L-La-L4-L-L-6L-4L-L-\
L-L3-L2-L-2L-L-L-L-L-L2-L-2L4-L7-L4-L4-L-La-L11-5L3-L5-L11-148P-27P4-64Pc-fP2-fP-eP2-25Pa-30L1a-6L1a-6Q2LcQ2La-4P-2Pa\
-13P38R1a-Pf-aP-14P-2P9-P4-9P17-6Pbc-2P70-2P2-P3-2P53-2P3-P4X5Pfe-P3f-bP6-P18-7P2-2P8-cP-2P4-2P-4P2-dP2-2P-8P2-9P-5P3\
-cP3-8P3-2P-P-4P-6P-3P-6P56-30P46-5P8-2P11-3P-P6-2Pd-daP26-cP4-38P8-aP6-28P8-1eP2-cP4-2Pe-9P27-cP2f-Pa-Pb9-58P8-eP92\
-f0Na-6P3fe-c0003X-1eX60-80Xf0\
";

/// What a character is to a word: its value of the property Word_Break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Other,
    /// CR and LF too.
    Newline,
    /// Format too: no rule tells them apart.
    Extend,
    Zwj,
    WSegSpace,
    ALetter,
    HebrewLetter,
    Katakana,
    Numeric,
    ExtendNumLet,
    RegionalIndicator,
    MidLetter,
    MidNum,
    MidNumLet,
    SingleQuote,
    DoubleQuote,
}

impl Class {
    /// By its letter in `RUNS`, and whether that is the letter of an Extended_Pictographic.
    fn named(letter: u8) -> (Self, bool) {
        let class = match letter {
            b'V' => Newline,
            b'X' => Extend,
            b'Z' => Zwj,
            b'S' => WSegSpace,
            b'L' | b'Q' => ALetter,
            b'H' => HebrewLetter,
            b'K' => Katakana,
            b'N' => Numeric,
            b'_' => ExtendNumLet,
            b'R' => RegionalIndicator,
            b':' => MidLetter,
            b',' => MidNum,
            b'.' => MidNumLet,
            _ => Other,
        };
        (class, matches!(letter, b'P' | b'Q'))
    }
}

/// The classes of all characters, unpacked when the first one beyond ASCII comes: for many texts at once.
#[derive(Default)]
pub(super) struct Classes {
    /// For every run the character behind it, its class, and whether its characters are pictographic.
    runs: Vec<(u32, (Class, bool))>,
    /// Whether a colon ends a word. By the letter of the standard it does not between two letters.
    colon_splits: bool,
}

impl Classes {
    /// The classes by which texts are split.
    pub(super) fn of_texts() -> Self {
        Self { colon_splits: true, ..Self::default() }
    }

    /// A character's class, and whether it is an Extended_Pictographic.
    #[inline]
    fn of(&mut self, c: char) -> (Class, bool) {
        let class = match c {
            'A'..='Z' | 'a'..='z' => ALetter,
            '0'..='9' => Numeric,
            ' ' => WSegSpace,
            '\n' | '\u{b}' | '\u{c}' | '\r' => Newline,
            '_' => ExtendNumLet,
            ':' if self.colon_splits => Other,
            ':' => MidLetter,
            ',' | ';' => MidNum,
            '.' => MidNumLet,
            '\'' => SingleQuote,
            '"' => DoubleQuote,
            '\0'..='\u{7f}' => Other,
            _ => return self.beyond_ascii(u32::from(c)),
        };
        (class, false)
    }

    #[inline(never)]
    fn beyond_ascii(&mut self, code: u32) -> (Class, bool) {
        if self.runs.is_empty() {
            self.runs = unpack(RUNS);
        }
        let run = self.runs.partition_point(|(behind, _)| *behind <= code);
        self.runs.get(run).map_or((Other, false), |(_, class)| *class)
    }
}

fn unpack(mut packed: &[u8]) -> Vec<(u32, (Class, bool))> {
    let mut behind = 0x80;
    core::iter::from_fn(|| {
        let (letter, digits) = packed.split_first()?;
        let mut length = 0;
        packed = digits;
        while let Some((digit, rest)) = packed.split_first()
            && let Some(digit) = char::from(*digit).to_digit(16)
        {
            (length, packed) = (length * 16 + digit, rest);
        }
        behind += length.max(1);
        Some((behind, Class::named(*letter)))
    })
    .collect()
}

/// The segments of a text between its word boundaries.
pub(super) fn word_bounds<'a>(text: &'a str, classes: &mut Classes) -> impl Iterator<Item = &'a str> {
    let mut rest = text;
    core::iter::from_fn(move || {
        let (segment, behind) = rest.split_at_checked(first_boundary(rest, classes))?;
        rest = behind;
        (!segment.is_empty()).then_some(segment)
    })
}

/// The first boundary behind the start of a text (WB1), in bytes.
fn first_boundary(text: &str, classes: &mut Classes) -> usize {
    let mut rest = text.char_indices();
    let Some((_, first)) = rest.next() else { return 0 };
    let (mut before, _) = classes.of(first);
    if before == Newline {
        return if text.starts_with("\r\n") { 2 } else { first.len_utf8() }; // WB3, WB3a
    }
    let mut joined = before == Zwj;
    while let Some((at, c)) = rest.next() {
        let (class, pictographic) = classes.of(c);
        let behind_zwj = core::mem::replace(&mut joined, class == Zwj);
        let mut follows = |wanted: &[Class]| follows(rest.as_str(), wanted, classes);
        before = match (before, class) {
            // WB4, and WB3d is of neighbours
            (WSegSpace, Extend | Zwj) => Other,
            // WB4
            (_, Extend | Zwj) => before,
            // WB3c
            _ if behind_zwj && pictographic => Other,
            // WB3d
            (WSegSpace, WSegSpace) => class,
            // WB5, WB8, WB9, WB10, WB13a, WB13b
            (ALetter | HebrewLetter | Numeric | ExtendNumLet, ALetter | HebrewLetter | Numeric | ExtendNumLet) => class,
            // WB6, WB7
            (ALetter | HebrewLetter, MidLetter | MidNumLet | SingleQuote) if follows(&[ALetter, HebrewLetter]) => {
                before
            }
            // WB7a
            (HebrewLetter, SingleQuote) => Other,
            // WB7b, WB7c
            (HebrewLetter, DoubleQuote) if follows(&[HebrewLetter]) => before,
            // WB11, WB12
            (Numeric, MidNum | MidNumLet | SingleQuote) if follows(&[Numeric]) => before,
            // WB13, WB13a, WB13b
            (Katakana | ExtendNumLet, Katakana) | (Katakana, ExtendNumLet) => class,
            // WB15, WB16: two make a flag
            (RegionalIndicator, RegionalIndicator) => Other,
            // WB3b, WB999
            _ => return at,
        };
    }
    text.len() // WB2
}

/// Whether one of these classes comes next, behind what WB4 skips, or a pictographic that WB3c joins.
#[inline(never)] // rarely called, and 2 kB where it is inlined
fn follows(rest: &str, wanted: &[Class], classes: &mut Classes) -> bool {
    let mut joined = false;
    for c in rest.chars() {
        match classes.of(c) {
            (class @ (Extend | Zwj), _) => joined = class == Zwj,
            (class, pictographic) => return wanted.contains(&class) || joined && pictographic,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    extern crate std;

    use alloc::string::String;
    use alloc::vec::Vec;

    use chacha20::ChaCha20Rng;
    use rand_core::{Rng, SeedableRng};
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;

    /// A character of every class, under the class's letter.
    const EXAMPLES: [(char, char); 18] = [
        ('-', '!'),
        ('V', '\n'),
        ('X', '\u{308}'),
        ('Z', '\u{200d}'),
        ('S', ' '),
        ('L', 'a'),
        ('H', 'א'),
        ('K', 'ア'),
        ('N', '1'),
        ('_', '_'),
        ('R', '🇦'),
        (':', ':'),
        (',', ','),
        ('.', '.'),
        ('\'', '\''),
        ('"', '"'),
        ('P', '😀'),
        ('Q', 'ℹ'),
    ];

    /// What stands before and behind a character to show its class.
    const CONTEXTS: [(&str, &str); 14] = [
        ("a", ""),
        ("a", "a"),
        ("1", "1"),
        ("1,", ""),
        ("א", ""),
        ("א", "א"),
        ("", "'"),
        ("ア", ""),
        ("🇦", ""),
        (" ", ""),
        ("\u{200d}", ""),
        ("", "😀"),
        ("", "\u{308}"),
        ("", "\u{200d}😀"),
    ];

    fn between((before, behind): (&str, &str), c: char) -> String {
        before.chars().chain([c]).chain(behind.chars()).collect()
    }

    /// A character's class, as the lengths of the segments into which the crate splits its contexts.
    fn behaviour(c: char) -> [u64; CONTEXTS.len()] {
        CONTEXTS.map(|context| {
            let segments = between(context, c);
            segments.split_word_bounds().fold(1, |lengths, segment| lengths << 8 | segment.chars().count() as u64)
        })
    }

    fn assert_splits_as_the_crate(text: &str, classes: &mut Classes) {
        assert!(word_bounds(text, classes).eq(text.split_word_bounds()), "{text:?}");
    }

    #[test]
    fn the_contexts_tell_every_two_classes_apart() {
        for (n, (_, one)) in EXAMPLES.iter().enumerate() {
            for (_, other) in &EXAMPLES[..n] {
                assert_ne!(behaviour(*one), behaviour(*other), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn every_character_splits_its_contexts_as_in_the_crate() {
        let mut classes = Classes::default();
        for c in '\0'..=char::MAX {
            for context in
                CONTEXTS.into_iter().chain([("", ""), ("\r", ""), ("", "\n"), ("", c.encode_utf8(&mut [0; 4]))])
            {
                assert_splits_as_the_crate(&between(context, c), &mut classes);
            }
        }
    }

    /// An exclamation mark is of the class that a colon has in texts.
    #[test]
    fn a_colon_splits_texts_as_an_exclamation_mark_does_in_the_crate() {
        let mut classes = Classes::of_texts();
        let colon_in = |context| between(context, ':');
        let fives = EXAMPLES.map(|(_, example)| example);
        let mixed = fives.iter().flat_map(|a| fives.map(|b| [*a, ':', b, ':', ':', *a].iter().collect::<String>()));
        for text in CONTEXTS.into_iter().map(colon_in).chain(mixed).chain(["Diagnosis:diabetes a:b 10:30".into()]) {
            let marked = text.replace(':', "!");
            let lengths = marked.split_word_bounds().map(str::len);
            assert!(word_bounds(&text, &mut classes).map(str::len).eq(lengths), "{text:?}");
        }
        let split: Vec<_> = word_bounds("Diagnosis:diabetes", &mut classes).collect();
        assert_eq!(split, ["Diagnosis", ":", "diabetes"]);
    }

    #[test]
    fn every_five_classes_split_as_in_the_crate() {
        fn lengthen(text: &mut String, by: usize, classes: &mut Classes) {
            assert_splits_as_the_crate(text, classes);
            if by > 0 {
                for c in EXAMPLES.into_iter().map(|(_, example)| example).chain(['\r', '\u{85}']) {
                    text.push(c);
                    lengthen(text, by - 1, classes);
                    text.pop();
                }
            }
        }
        lengthen(&mut String::new(), 5, &mut Classes::default());
    }

    /// Seed 29: half of the characters show a class, a quarter are below U+3000, a quarter are any.
    #[test]
    fn long_mixtures_split_as_in_the_crate() {
        let (mut rng, mut classes) = (ChaCha20Rng::seed_from_u64(29), Classes::default());
        let mut below = |bound: usize| rng.next_u64() as usize % bound;
        for _ in 0..2_000 {
            let length = below(400);
            let text: String = (0..length)
                .filter_map(|_| match below(4) {
                    0 => char::from_u32(below(0x110000) as u32),
                    1 => char::from_u32(below(0x3000) as u32),
                    _ => Some(EXAMPLES[below(EXAMPLES.len())].1),
                })
                .collect();
            assert_splits_as_the_crate(&text, &mut classes);
        }
    }

    #[test]
    #[ignore = "prints the table"]
    fn print() {
        let classes = EXAMPLES.map(|(letter, example)| (behaviour(example), letter));
        let letter = |c| {
            let seen = behaviour(c);
            classes.iter().find(|(class, _)| *class == seen).expect("a class of EXAMPLES").1
        };
        let mut runs: Vec<(char, u32)> = Vec::new();
        for code in 0x80..=u32::from(char::MAX) {
            let letter = char::from_u32(code).map_or('-', letter); // surrogates are in no string
            match runs.last_mut() {
                Some((last, length)) if *last == letter => *length += 1,
                _ => runs.push((letter, 1)),
            }
        }
        runs.pop_if(|(letter, _)| *letter == '-');
        let mut line = String::new();
        for (letter, length) in runs {
            let run = if length == 1 { letter.into() } else { std::format!("{letter}{length:x}") };
            if line.len() + run.len() > 118 {
                std::println!("{line}\\");
                line.clear();
            }
            line += &run;
        }
        std::println!("{line}\\");
    }
}
