//! Layout and language: what both do to a release, on the English table.
#![cfg(feature = "english")]

use textveil::{Disclosure, Drawing, Error, InTheClear, Mechanism, Privatizer, Table, seeded_rng};

const OTHER: [&str; 4] = [
    "Ich habe seit drei Tagen starke Kopfschmerzen.",
    "Сегодня вечером я иду в кино с сестрой.",
    "ICH HABE SEIT DREI TAGEN STARKE KOPFSCHMERZEN",
    "今夜は妹と映画を見に行きます。",
];

fn privatizer(disclosure: Disclosure) -> Privatizer {
    let table = Table::english().expect("the built-in table");
    Privatizer::new(&table, Mechanism::new(table.default_mechanism()), disclosure).expect("the default")
}

#[test]
fn a_text_of_another_language_is_refused_on_every_way_before_anything_is_drawn() {
    let privatizer = privatizer(Disclosure::default());
    for text in OTHER {
        let mut rng = seeded_rng([7; 32]);
        assert_eq!(privatizer.privatize(text, &mut rng).map(|_| ()), Err(Error::OtherLanguage), "{text}");
        assert_eq!(privatizer.privatize_text(text, &mut rng), Err(Error::OtherLanguage), "{text}");
        assert_eq!(Drawing::begin(&privatizer, text, &mut rng).map(|_| ()), Err(Error::OtherLanguage), "{text}");
        let again = privatizer.privatize("an English text", &mut rng).expect("English");
        let first = privatizer.privatize("an English text", &mut seeded_rng([7; 32])).expect("English");
        assert_eq!(again.text, first.text, "the generator has not been read");
    }
}

#[test]
fn whoever_asks_for_any_language_gets_the_same_draw_and_the_same_key_and_a_guarantee_for_all_texts() {
    let (strict, any) = (privatizer(Disclosure::default()), privatizer(Disclosure::default()).of_any_language());
    for text in ["My mother has lived in Berlin for ten years.", "Bonjour", ""] {
        let drawn = |privatizer: &Privatizer| {
            let release = privatizer.privatize(text, &mut seeded_rng([7; 32])).expect("accepted");
            ((release.text, privatizer.key(text, None).to_hex()), release.guarantee)
        };
        let ((one, mut some), (other, all)) = (drawn(&strict), drawn(&any));
        assert_eq!(one, other, "{text}");
        assert_eq!(some.clear.pop(), Some(InTheClear::Language));
        assert!(some == all && !all.statement().contains("refused"), "{text}");
    }
    for text in OTHER {
        assert!(any.privatize(text, &mut seeded_rng([7; 32])).is_ok(), "{text}");
        assert!(any.privatize_text(text, &mut seeded_rng([7; 32])).is_ok(), "{text}");
        assert!(any.key(text, None) == strict.key(text, None), "{text}");
    }
}

#[test]
fn names_numbers_and_addresses_are_of_every_language() {
    let privatizer = privatizer(Disclosure::default());
    for text in [
        "Tomomi Nishiyama, Rua do Arenque 1634, Goiânia, Przemek Kucharski, Dašická 688, Turkovice",
        "a1b2 c3d4 e5f6 g7h8 i9j0 k1l2 m3n4",
        "jan@beispiel.de, www.beispiel.de, eva@beispiel.de, www.ejemplo.es, ana@ejemplo.es, www.przyklad.pl",
        "Wie geht es dir denn?",
        "😀 😀 😀 😀 😀 😀 😀 😀",
    ] {
        assert!(privatizer.privatize(text, &mut seeded_rng([7; 32])).is_ok(), "{text}");
    }
}

#[test]
fn texts_of_the_same_words_and_sentence_ends_have_one_release_where_the_layout_is_plain() {
    let plain = privatizer(Disclosure { plain_layout: true, ..Disclosure::default() });
    let texts = [
        "We went home. It was late",
        " We  went\thome!\nIt was... late?!",
        "(We) went, \"home\"? - it: was. late.",
        "we/went-home.\n\nIt; was late",
    ];
    let drawn = texts.map(|text| plain.privatize(text, &mut seeded_rng([3; 32])).expect("English"));
    let ends = drawn.each_ref().map(|release| release.text.match_indices('.').count());
    assert_eq!(ends, [1, 3, 3, 1]);
    assert_eq!(drawn[0].text, drawn[3].text);
    assert_eq!(drawn[1].text, drawn[2].text);
    for release in &drawn {
        assert_eq!(release.text.replace(". ", " ").trim_end_matches('.').split(' ').count(), 6);
        assert_eq!(release.guarantee.clear, [InTheClear::WordCount, InTheClear::SentenceEnds, InTheClear::Language]);
        let (brief, words) = plain.privatize_text(texts[0], &mut seeded_rng([3; 32])).expect("English");
        assert_eq!((brief, words), (drawn[0].text.clone(), 6));
    }
    assert!(plain.key(texts[0], None) != privatizer(Disclosure::default()).key(texts[0], None));
}
