//! What the object keeps its word on, as its foreign callers see it.

use std::collections::HashSet;

use textveil::{
    Budget, Calibration, Disclosure, InTheClear, Loss, MAX_TEXT_BYTES, Mechanism, MechanismKind, Offsets, Parameter,
    Preset, Privatizer, Table, Unary, Unit,
};
use textveil_mobile::{
    ChoiceOptions, Claim, Detected, DetectedSpan, Dropout, Guarantee, Ledger, Metric, Options, RepresentationOptions,
    ScopeBudget, TextColumn, TextVeil, TextVeilError, Values, WordList,
};

const TEXT: &str = "The doctor was kind to my mother on Monday, and to her sister.";

fn veil() -> TextVeil {
    TextVeil::new().expect("the table of the library")
}

#[test]
fn a_text_is_drawn_once_on_the_same_terms_and_anew_by_a_fresh_object() {
    let (veil, options) = (veil(), Options::default());
    let first = veil.privatize(TEXT, &options, None, None).expect("a release");
    assert_eq!(veil.privatize(TEXT, &options, None, None).expect("a release").text, first.text);
    // Full-width letters are the same text, and the default level is the same terms.
    let levels = veil.levels().expect("levels");
    let default = levels.iter().find(|level| level.is_default && level.mechanism == MechanismKind::Nearest);
    let level = default.map(|level| f64::from(level.index));
    let named = Options { mechanism: Some(MechanismKind::Nearest), level, ..Options::default() };
    let wide = TEXT.replace("The", "\u{ff34}he");
    assert_eq!(veil.privatize(&wide, &named, None, None).expect("a release").text, first.text);
    let balanced = Options { preset: Some(Preset::Balanced), ..Options::default() };
    assert_eq!(veil.privatize(TEXT, &balanced, None, None).expect("a release").text, first.text);
    let unknown = Options { mechanism: Some(MechanismKind::Certified), ..balanced };
    assert!(matches!(veil.privatize(TEXT, &unknown, None, None), Err(TextVeilError::InvalidOptions(_))));

    let other = Options { placeholders: Some(false), ..Options::default() };
    assert_ne!(veil.privatize(TEXT, &other, None, None).expect("a release").text, first.text);
    assert_ne!(self::veil().privatize(TEXT, &options, None, None).expect("a release").text, first.text);
}

#[test]
fn a_field_has_a_release_of_its_own() {
    let (veil, options) = (veil(), Options::default());
    let drawn =
        |field: Option<&str>| veil.privatize(TEXT, &options, field.map(str::to_owned), None).expect("a release").text;
    let fields = [None, Some(""), Some("comment"), Some("reply")];
    let releases = fields.map(drawn);
    assert_eq!(fields.map(drawn), releases);
    assert_eq!(releases.into_iter().collect::<HashSet<_>>().len(), fields.len());
}

#[test]
fn a_guarantee_that_nobody_has_stated_has_no_short_form() {
    let unsound =
        ChoiceOptions { calibration: Some(Calibration::Published), epsilon: Some(2.0), ..ChoiceOptions::default() };
    let stated = veil().choice_guarantee(5, &unsound).expect("a guarantee");
    assert!(stated.short().expect("stated").contains("Lyu et al. 2020, on one-hot vectors"));
    let claim = stated.claim.clone().map(|claim| Claim { source: "A paper that nobody wrote".to_owned(), ..claim });
    let list = Some(WordList { words: 0, digest: "0f".repeat(32) });
    for guarantee in [
        Guarantee { claim, ..stated.clone() },
        Guarantee { table: Some("the table".to_owned()), ..stated.clone() },
        Guarantee { kept_words: list.clone(), ..stated.clone() },
        Guarantee { never_said: list, ..stated.clone() },
        Guarantee { metric: Some(Metric::TruncatedEuclidean), cutoff: None, ..stated },
    ] {
        assert!(matches!(guarantee.short(), Err(TextVeilError::InvalidOptions(_))), "{guarantee:?}");
    }
}

#[test]
fn a_guarantee_with_a_changed_number_has_no_short_form_and_is_not_booked() {
    let stated = veil().privatize(TEXT, &Options::default(), None, None).expect("a release").guarantee;
    let loss = stated.loss().expect("stated");
    assert_eq!((loss.epsilon, loss.delta), (stated.epsilon_text, stated.delta_text));
    for changed in [
        Guarantee { epsilon_word: 0.001, ..stated.clone() },
        Guarantee { epsilon_text: 0.003, ..stated.clone() },
        Guarantee { words: 1, ..stated.clone() },
        Guarantee { exact_sampler: false, ..stated.clone() },
        Guarantee { statement: "Nothing is told.".to_owned(), ..stated.clone() },
        Guarantee { clear: Vec::new(), ..stated },
    ] {
        assert!(matches!(changed.short(), Err(TextVeilError::InvalidOptions(_))), "{changed:?}");
        assert!(matches!(changed.loss(), Err(TextVeilError::InvalidOptions(_))), "{changed:?}");
    }
}

#[test]
fn every_guarantee_that_is_given_has_a_short_form() {
    let veil = veil();
    let terms = |kind| Options { mechanism: Some(kind), ..Options::default() };
    let stated: Vec<Guarantee> = MechanismKind::ALL
        .iter()
        .flat_map(|kind| {
            let options = terms(*kind);
            [
                Options { eta: Some(5.0), ..options.clone() },
                Options { eta: Some(5.0), lambda: Some(0.5), ..options.clone() },
                Options { eta: Some(5.0), gamma: Some(1.0), ..options.clone() },
                Options { eta: Some(5.0), t: Some(0.5), ..options.clone() },
                Options { epsilon: Some(8.0), delta: Some(1e-6), clip: Some(1.0), ..options.clone() },
                Options { epsilon: Some(40.0), clip: Some(1.0), ..options.clone() },
                options,
            ]
        })
        .filter_map(|options| veil.guarantee(&options).ok())
        .collect();
    for kind in [MechanismKind::Mahalanobis, MechanismKind::TruncatedExponential, MechanismKind::Gaussian] {
        assert!(stated.iter().any(|guarantee| guarantee.mechanism == kind), "{kind}");
    }
    for guarantee in stated {
        assert!(guarantee.short().is_ok() && guarantee.loss().is_ok(), "{guarantee:?}");
    }
}

#[test]
fn a_record_is_described_as_the_core_describes_its_guarantee() {
    let veil = veil();
    let unsound =
        ChoiceOptions { calibration: Some(Calibration::Published), epsilon: Some(2.0), ..ChoiceOptions::default() };
    let mechanism = Mechanism::new(MechanismKind::Oue)
        .calibrated(Calibration::Published)
        .and_then(|oue| oue.with(Parameter::Epsilon, 2.0));
    let core = Unary::new(mechanism.expect("a mechanism"), 5).expect("a list").guarantee();
    let record = veil.choice_guarantee(5, &unsound).expect("a guarantee");
    assert_eq!(record.describe("de"), core.describe("de"));

    let release = veil.privatize(TEXT, &Options::default(), None, None).expect("a release");
    let table = Table::english().expect("the table of the library");
    let mechanism = Mechanism::new(MechanismKind::Nearest);
    let privatizer = Privatizer::new(&table, mechanism, Disclosure::for_people()).expect("the default level");
    let core = privatizer.guarantee(release.guarantee.words as usize);
    assert_eq!(release.guarantee.describe("fr_CA"), core.describe("fr"));
}

#[test]
fn representations_and_choices_are_drawn_once_too() {
    let veil = veil();
    let options = RepresentationOptions {
        mechanism: Some(MechanismKind::Laplace),
        epsilon: Some(20.0),
        ..RepresentationOptions::default()
    };
    let named = RepresentationOptions { unit: Some(Unit::Text), ..options.clone() };
    let drawn = veil.representation(TEXT, &options, None).expect("a representation");
    assert_eq!(veil.representation(TEXT, &named, None).expect("a representation"), drawn);
    assert!(matches!(&drawn.values, Values::Vectors { rows } if rows.len() == 1 && rows[0].len() % 8 == 0));

    let bytes = |vector: [f64; 3]| vector.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let vectors = vec![bytes([0.6, 0.8, 0.0]), bytes([0.0, 0.0, -1.0])];
    let clipped = RepresentationOptions { clip: Some(1.0), ..options.clone() };
    let drawn = veil.representation_of(vectors.clone(), &clipped, None).expect("a representation");
    assert_eq!(veil.representation_of(vectors.clone(), &clipped, None).expect("a representation"), drawn);
    let shorter = RepresentationOptions { clip: Some(0.5), ..options };
    assert_ne!(veil.representation_of(vectors, &shorter, None).expect("a representation"), drawn);

    let terms = ChoiceOptions { epsilon: Some(1.0), ..ChoiceOptions::default() };
    let report = |question, index| veil.choice(index, 256, question, &terms).expect("a report").bits;
    assert_eq!(report("smoker", 2), report("smoker", 2));
    assert_ne!(report("smoker", 2), report("smoker", 3));
    assert_ne!(report("smoker", 2), report("drinker", 2));
}

#[test]
fn a_field_has_representations_of_its_own() {
    let veil = veil();
    let options = RepresentationOptions {
        mechanism: Some(MechanismKind::Laplace),
        epsilon: Some(20.0),
        ..RepresentationOptions::default()
    };
    let clipped = RepresentationOptions { clip: Some(1.0), ..options.clone() };
    let vectors = vec![[0.6, 0.8].into_iter().flat_map(f64::to_le_bytes).collect::<Vec<u8>>()];
    let drawn = |field: Option<&str>| {
        let of_text = veil.representation(TEXT, &options, field.map(str::to_owned));
        let of_vectors = veil.representation_of(vectors.clone(), &clipped, field.map(str::to_owned));
        [of_text, of_vectors].map(|drawn| match drawn.expect("a representation").values {
            Values::Vectors { rows } => rows,
            Values::Bits { .. } => unreachable!("bits"),
        })
    };
    let fields = [None, Some(""), Some("comment"), Some("reply")];
    let all = fields.map(drawn);
    assert_eq!(fields.map(drawn), all);
    assert_eq!(all.into_iter().flatten().collect::<HashSet<_>>().len(), 2 * fields.len());
}

#[test]
fn what_comes_to_the_same_thing_is_drawn_once() {
    let veil = veil();
    let asked = |mechanism, dropout, tilt| RepresentationOptions {
        mechanism: Some(mechanism),
        epsilon: Some(20.0),
        dropout,
        tilt,
        ..RepresentationOptions::default()
    };
    let drawn = |options| veil.representation(TEXT, &options, None).expect("a representation").values;
    let laplace = drawn(asked(MechanismKind::Laplace, None, None));
    for dropout in [Dropout::Random { rate: 0.0 }, Dropout::Random { rate: -0.0 }, Dropout::Fixed { rate: 0.0 }] {
        assert_eq!(drawn(asked(MechanismKind::Laplace, Some(dropout.clone()), None)), laplace, "{dropout:?}");
    }
    let wrong = asked(MechanismKind::Laplace, Some(Dropout::Mask { mask: vec![false] }), None);
    assert!(matches!(veil.representation(TEXT, &wrong, None), Err(TextVeilError::InvalidMask(_))));
    let half = asked(MechanismKind::Laplace, Some(Dropout::Random { rate: 0.5 }), None);
    assert_ne!(drawn(half), laplace);
    let bits = drawn(asked(MechanismKind::RandomizedResponse, None, None));
    for tilt in [0.0, -0.0] {
        assert_eq!(drawn(asked(MechanismKind::RandomizedResponse, None, Some(tilt))), bits);
    }
    assert_ne!(drawn(asked(MechanismKind::RandomizedResponse, None, Some(1.0))), bits);

    let clipped = RepresentationOptions { clip: Some(1.0), ..asked(MechanismKind::Laplace, None, None) };
    let vectors = |zero: f64| vec![[zero, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()];
    let drawn = |zero| veil.representation_of(vectors(zero), &clipped, None).expect("a representation");
    assert_eq!(drawn(0.0), drawn(-0.0));
}

#[test]
fn a_column_keeps_its_rows_and_draws_equal_rows_apart() {
    let (veil, options) = (veil(), Options::default());
    let rows: Vec<&str> = [TEXT, "", "\0", TEXT, "Grüße \u{1f600}"].into_iter().cycle().take(500).collect();
    let column = TextColumn::of(rows.iter().copied());
    let released = veil.privatize_column(&column, &options, 8).expect("releases");
    let texts = released.column.rows().expect("a column");
    assert_eq!(texts.len(), rows.len());
    assert!(texts.iter().zip(&rows).all(|(released, row)| released.is_empty() == row.is_empty()));
    assert_eq!(texts.iter().step_by(5).collect::<HashSet<_>>().len(), 100);
    let alone = veil.privatize(TEXT, &options, None, None).expect("a release");
    assert_eq!(released.guarantee, alone.guarantee);

    let none = veil.privatize_column(&TextColumn::of(std::iter::empty()), &options, 0).expect("releases");
    assert_eq!((none.column.rows().expect("a column").len(), none.guarantee.words), (0, 0));
}

#[test]
fn what_is_no_column_is_refused_and_a_row_that_is_too_long() {
    let column = TextColumn { text: b"a".to_vec(), offsets: vec![0; 15] };
    let refused = veil().privatize_column(&column, &Options::default(), 2).map(|_| ());
    assert!(matches!(refused, Err(TextVeilError::InvalidArgument(_))));
    let long = "a".repeat(MAX_TEXT_BYTES + 1);
    let column = TextColumn::of(["a", &long, "b"].into_iter());
    let refused = veil().privatize_column(&column, &Options::default(), 2).map(|_| ());
    assert!(matches!(refused, Err(TextVeilError::TextTooLong(_))));
}

#[test]
fn a_row_of_another_language_is_refused_and_told_unless_any_is_asked_for() {
    let column =
        TextColumn::of(["A good day to all.", "Ich habe seit drei Tagen starke Kopfschmerzen.", "", "é"].into_iter());
    let (veil, any) = (veil(), Options { any_language: true, ..Options::default() });
    let refused = veil.privatize_column(&column, &Options::default(), 2).map(|_| ());
    assert!(matches!(refused, Err(TextVeilError::OtherLanguage(_))));
    assert_eq!(veil.refused_row(&column, &Options::default()), Some(1));
    assert_eq!(column.refused_row(), None);
    assert!(veil.privatize_column(&column, &any, 2).is_ok());
    assert_eq!(veil.refused_row(&column, &any), None);
    let text = "Ich habe seit drei Tagen starke Kopfschmerzen.";
    let of =
        |any_language| RepresentationOptions { epsilon: Some(4.0), any_language, ..RepresentationOptions::default() };
    assert!(matches!(veil.representation(text, &of(false), None), Err(TextVeilError::OtherLanguage(_))));
    assert!(veil.representation(text, &of(true), None).is_ok());
    let vector = [1.0_f64, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert!(matches!(veil.representation_of(vec![vector], &of(true), None), Err(TextVeilError::InvalidOptions(_))));
}

/// What a call on other terms has drawn before must not decide what is promised.
#[test]
fn a_release_has_the_guarantee_of_its_own_call() {
    for order in [[true, false, true], [false, true, false]] {
        let veil = veil();
        for any_language in order {
            let options = Options { any_language, ..Options::default() };
            let of = RepresentationOptions { epsilon: Some(4.0), any_language, ..RepresentationOptions::default() };
            let release = veil.privatize(TEXT, &options, None, None).expect("English").guarantee;
            let represented = veil.representation(TEXT, &of, None).expect("English").guarantee;
            let promised = veil.guarantee(&options).expect("in range");
            assert_eq!((&release.neighbours, &release.clear), (&promised.neighbours, &promised.clear));
            assert_eq!(represented.clear.contains(&InTheClear::Language), !any_language);
        }
    }
}

#[test]
fn a_column_that_is_refused_tells_the_row() {
    let refused_row = |rows: [&[u8]; 3]| {
        let ends = [0, rows[0].len(), rows[0].len() + rows[1].len(), rows.concat().len()];
        let offsets = ends.iter().flat_map(|end| (*end as i64 + 5).to_le_bytes()).collect();
        TextColumn { text: rows.concat(), offsets }.refused_row()
    };
    let (longest, long) = ("a".repeat(MAX_TEXT_BYTES), "a".repeat(MAX_TEXT_BYTES + 1));
    assert_eq!(refused_row([b"", longest.as_bytes(), "é".as_bytes()]), None);
    assert_eq!(refused_row([b"a", long.as_bytes(), b"\xff"]), Some(1));
    // NFKC makes eighteen letters of it.
    assert_eq!(refused_row([b"", b"", "\u{fdfa}".repeat(100_000).as_bytes()]), Some(2));
    assert_eq!(refused_row([b"\xff", b"a", b"a"]), Some(0));
}

#[test]
fn bad_input_has_the_core_s_codes() {
    let options = |epsilon| Options { epsilon: Some(epsilon), ..Options::default() };
    for epsilon in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        assert!(matches!(veil().guarantee(&options(epsilon)), Err(TextVeilError::InvalidEpsilon(_))));
    }
    let two = Options { level: Some(1.0), ..options(10.0) };
    assert!(matches!(veil().guarantee(&two), Err(TextVeilError::InvalidOptions(_))));
    for bytes in [vec![], vec![0; 4096], b"TEXTVEIL".to_vec()] {
        assert!(matches!(TextVeil::from_table(bytes), Err(TextVeilError::BadTable(_))));
    }
    let seven_bytes = RepresentationOptions {
        mechanism: Some(MechanismKind::Laplace),
        epsilon: Some(1.0),
        clip: Some(1.0),
        ..RepresentationOptions::default()
    };
    for vectors in [vec![], vec![vec![]], vec![vec![0; 7]]] {
        let refused = veil().representation_of(vectors, &seven_bytes, None);
        assert!(matches!(refused, Err(TextVeilError::InvalidVector(_))));
    }
}

#[test]
fn a_release_shows_no_word_of_the_text_when_it_is_printed() {
    let release = veil().privatize("xylophonist", &Options::default(), None, None).expect("a release");
    assert_eq!(release.account[0].token, "xylophonist");
    let entry = &release.account[0];
    for printed in [format!("{release:?} {release}"), format!("{entry:?} {entry}")] {
        assert!(!printed.contains("xylophonist"), "{printed}");
    }
}

#[test]
fn a_ledger_goes_on_from_its_snapshot_and_refuses_what_is_beyond_the_budget() {
    let budget = Budget { epsilon: 5.0, delta: 0.0, releases: None, period: None };
    let budgets = || vec![ScopeBudget { scope: "comment".into(), budget }];
    let ledger = Ledger::new(budgets(), None, 0).expect("a first ledger");
    let stored = ledger.spend("comment", Loss::pure(3.0), 0).expect("within the budget");
    let again = Ledger::new(budgets(), Some(stored.bytes), stored.sequence).expect("the same ledger");
    assert_eq!(again.spent("comment", 0).expect("a scope").loss, Loss::pure(3.0));
    let refused = again.spend("comment", Loss::pure(3.0), 0);
    assert!(matches!(refused, Err(TextVeilError::BudgetExhausted(_))));
    assert!(matches!(Ledger::new(budgets(), None, 1), Err(TextVeilError::BadLedger(_))));
    let after = Ledger::exhausted(budgets(), 0, 1).expect("a ledger");
    assert!(matches!(after.spend("comment", Loss::NONE, 0), Err(TextVeilError::BudgetExhausted(_))));
}

#[cfg(feature = "insecure-seeded-rng")]
#[test]
fn a_study_does_not_depend_on_the_threads_nor_on_what_was_drawn_before() {
    let veil = || TextVeil::seeded(None, vec![7; 32]).expect("a seed");
    let rows: Vec<String> = (0..300).map(|n| format!("Ward {n} was kind to my mother.")).collect();
    let column = TextColumn::of(rows.iter().map(String::as_str));
    let released = |threads| {
        let released = veil().privatize_column(&column, &Options::default(), threads).expect("releases");
        released.column.rows().expect("a column").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let one = released(1);
    assert_eq!(released(7), one);
    for (row, text) in rows.iter().zip(&one).rev().take(50) {
        assert_eq!(veil().privatize(row, &Options::default(), None, None).expect("a release").text, *text);
    }
}

#[cfg(feature = "insecure-seeded-rng")]
#[test]
fn no_budget_allows_a_draw_whose_seed_is_known() {
    let veil = TextVeil::seeded(None, vec![7; 32]).expect("a seed");
    let known = veil.privatize(TEXT, &Options::default(), None, None).expect("a release").guarantee;
    let loss = known.loss().expect("stated");
    assert_eq!((loss.epsilon, loss.delta), (f64::INFINITY, 1.0));
    let budget = Budget { epsilon: 1e6, delta: 1.0, releases: None, period: None };
    let ledger = Ledger::new(vec![ScopeBudget { scope: "comment".into(), budget }], None, 0).expect("a ledger");
    assert!(matches!(ledger.spend("comment", loss, 0), Err(TextVeilError::BudgetExhausted(_))));
}

#[cfg(feature = "insecure-seeded-rng")]
#[test]
fn a_field_has_a_keystream_of_its_own_in_a_study() {
    let drawn = |text: &str, field: Option<&str>| {
        let veil = TextVeil::seeded(None, vec![7; 32]).expect("a seed");
        veil.privatize(text, &Options::default(), field.map(str::to_owned), None).expect("a release").text
    };
    let releases = [None, Some(""), Some("comment"), Some("reply")].map(|field| drawn(TEXT, field));
    assert_eq!(drawn(TEXT, Some("comment")), releases[2]);
    assert_eq!(releases.into_iter().collect::<HashSet<_>>().len(), 4);

    let options = RepresentationOptions { epsilon: Some(8.0), ..RepresentationOptions::default() };
    let represented = |field: Option<&str>| {
        let veil = TextVeil::seeded(None, vec![7; 32]).expect("a seed");
        veil.representation(TEXT, &options, field.map(str::to_owned)).expect("a representation").values
    };
    assert_eq!(represented(Some("comment")), represented(Some("comment")));
    assert_ne!(represented(Some("comment")), represented(None));
}

#[test]
fn a_text_is_too_long_as_it_was_typed_with_a_detector_or_without() {
    // NFKC makes one character of two, so that it would fit.
    let text = "e\u{301}".repeat(MAX_TEXT_BYTES / 2 + 1);
    for detected in [None, Some(Detected { offsets: Offsets::Bytes, spans: Vec::new() })] {
        let refused = veil().privatize(&text, &Options::default(), None, detected);
        assert!(matches!(refused, Err(TextVeilError::TextTooLong(_))));
    }
}

#[test]
fn what_a_detector_found_is_taken_out_and_lists_hold() {
    let veil = veil();
    let text = "Éva 😀 called TEXTVEIL from 555-1234 or eva@example.org";
    let detected = |offsets, spans: &[(u64, u64, &str)]| {
        let span =
            |(start, end, kind): &(u64, u64, &str)| DetectedSpan { start: *start, end: *end, kind: (*kind).into() };
        Some(Detected { offsets, spans: spans.iter().map(span).collect() })
    };
    let options = Options { keep_words: vec!["TextVeil".into()], never_say: vec!["damn".into()], ..Options::default() };
    let by = |offsets, spans: &[(u64, u64, &str)]| veil.privatize(text, &options, None, detected(offsets, spans));
    let found = by(Offsets::Bytes, &[(0, 4, "PERSON"), (31, 39, "phone")]).expect("a release");
    let words: Vec<&str> = found.text.split(' ').collect();
    assert_eq!((words[0], words[3], words[5], words[7]), ("[person]", "TextVeil", "[phone]", "[email]"));
    assert_eq!(found.guarantee.words, 4);
    let same = by(Offsets::CodePoints, &[(27, 35, "PHONE"), (0, 3, "person")]).expect("a release");
    assert_eq!(by(Offsets::Utf16, &[(28, 36, "PHONE"), (0, 3, "person")]).expect("a release").text, same.text);
    assert_eq!(same.text, found.text, "it is drawn once");
    let other = text.replacen("Éva", "Zoë and Tom", 1);
    let hidden = detected(Offsets::CodePoints, &[(35, 43, "phone"), (0, 11, "person")]);
    assert_eq!(veil.privatize(&other, &options, None, hidden).expect("a release").text, found.text);
    assert!(found.guarantee.clear.ends_with(&[InTheClear::KeptWords, InTheClear::Language, InTheClear::Redactions]));
    assert_eq!(found.guarantee.kept_words.map(|list| list.words), Some(1));
    assert_eq!(found.guarantee.never_said.map(|list| list.words), Some(1));
    for spans in [&[(0, 1, "a")][..], &[(0, 4, "a b")], &[(0, 9999, "a")], &[(u64::MAX, 0, "a")]] {
        assert!(matches!(by(Offsets::Bytes, spans), Err(TextVeilError::InvalidSpan(_))), "{spans:?}");
    }
    let refused = |options| veil.privatize(text, &options, None, None).err();
    let two = Options { keep_words: vec!["New York".into()], ..Options::default() };
    assert!(matches!(refused(two), Some(TextVeilError::InvalidKeepWords(_))));
    let both = Options { never_say: vec!["textveil".into()], ..options.clone() };
    assert!(matches!(refused(both), Some(TextVeilError::InvalidNeverSay(_))));
    let none = Options { placeholders: Some(false), ..Options::default() };
    assert!(!veil.privatize(text, &none, None, None).expect("a release").text.contains('['));
}
