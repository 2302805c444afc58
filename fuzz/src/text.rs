//! Any string as a text.

use std::sync::LazyLock;

use textveil::{
    Bulk, Disclosure, Drawing, Mechanism, MechanismKind, Parameter, Piece, Privatizer, Table, TokenKind, look_up,
    normalize, seeded_rng,
};

/// The layout alphabet.
const LAYOUT: &str = " \t\n.,;:!?'\"()-/";
/// Tokens that are looked up in the English table too.
const LOOKED_UP: usize = 8;

static ENGLISH: LazyLock<Table> = LazyLock::new(|| Table::english().expect("the embedded table is sound"));

/// One for each disclosure.
static PRIVATIZERS: LazyLock<Vec<Privatizer>> = LazyLock::new(|| {
    let table = Table::parse(include_bytes!("../../tests/tables/odd.tvt").as_slice()).expect("a table of the tests");
    let mechanism = Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, 2.0).expect("a number in range");
    let disclosures = [(false, false), (false, true), (true, false), (true, true)];
    let privatizer = |(function_words, placeholders)| {
        Privatizer::new(&table, mechanism, Disclosure { function_words, placeholders, plain_layout: false })
            .expect("offered")
    };
    disclosures.into_iter().map(privatizer).collect()
});

/// The same with the memory of every text before.
static BULKS: LazyLock<Vec<Bulk<'_>>> = LazyLock::new(|| PRIVATIZERS.iter().map(Bulk::new).collect());

/// Any string as a text: it is split, read and released, and the release shows layout and drawn words alone. The first
/// byte says what is disclosed, how the text is sliced, and whether it is normalized.
///
/// # Panics
/// The text's parts do not make the text, or the release holds something else than what was drawn.
pub fn text(data: &[u8]) {
    let Some((options, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let normal = normalize(&text);
    assert_eq!(normalize(&normal), normal, "NFKC of NFKC is something else");
    let text = if options & 4 == 0 { normal.as_str() } else { &text };
    let pieces = split(text);
    let cleaned: String = pieces.iter().map(shown).collect();
    assert!(split(&cleaned) == pieces, "the cleaned text is split otherwise");
    for piece in &pieces {
        let layout = shown(piece).chars().all(|c| LAYOUT.contains(c));
        assert!(!shown(piece).is_empty() && layout == matches!(piece, Piece::Layout(_)), "{piece:?}");
    }
    let neighbours = pieces.iter().zip(pieces.iter().skip(1));
    let are_layout = |(a, b): (&Piece, &Piece)| matches!((a, b), (Piece::Layout(_), Piece::Layout(_)));
    assert!(!neighbours.into_iter().any(are_layout), "two runs of layout side by side");
    for piece in pieces.iter().filter(|piece| matches!(piece, Piece::Token { .. })).take(LOOKED_UP) {
        if let Piece::Token { kind, text } = piece {
            let reading = look_up(&ENGLISH, *kind, text);
            assert!(reading.row.is_none_or(|row| row.row() < ENGLISH.len()));
            assert!(reading == look_up(&ENGLISH, *kind, text), "a token has two readings");
        }
    }
    let way = usize::from(options & 3);
    release(&PRIVATIZERS[way], &BULKS[way], (options & 1 != 0, options >> 3), text, &pieces);
}

fn split(text: &str) -> Vec<Piece> {
    Piece::split(text).unwrap_or_else(|error| panic!("a short text is refused: {error}"))
}

fn shown(piece: &Piece) -> &str {
    match piece {
        Piece::Layout(text) | Piece::Token { text, .. } => text,
    }
}

/// Releases a text whole, in slices and without an account, and takes the release apart again.
fn release(privatizer: &Privatizer, bulk: &Bulk<'_>, (placeholders, most): (bool, u8), text: &str, pieces: &[Piece]) {
    let rng = || seeded_rng([2; 32]);
    let whole = privatizer.privatize(text, &mut rng()).unwrap_or_else(|error| panic!("{error}"));
    super::check(&whole.guarantee);
    let brief = privatizer.privatize_text(text, &mut rng()).unwrap_or_else(|error| panic!("{error}"));
    let in_bulk = bulk.privatize_text(text, &mut rng()).unwrap_or_else(|error| panic!("{error}"));
    assert!(brief == in_bulk, "a release from memory is another one");
    let (brief, words) = brief;
    assert!(brief == whole.text && words == whole.guarantee.words, "a release without an account is another one");
    let mut drawing = Drawing::begin(privatizer, text, rng()).unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..8 {
        drawing.advance(usize::from(most));
    }
    let sliced = drawing.finish();
    assert!(sliced.text == whole.text && sliced.account == whole.account, "a release in slices is another one");
    let private = whole.account.iter().filter(|entry| !entry.clear).count();
    assert_eq!(whole.guarantee.words, private);
    let table = privatizer.table();
    let (mut rest, mut account, mut after_token) = (whole.text.as_str(), whole.account.iter(), false);
    for piece in pieces {
        match piece {
            Piece::Layout(run) => rest = rest.strip_prefix(run.as_str()).expect("layout is copied"),
            Piece::Token { kind, text } => {
                let entry = account.next().expect("every token has an entry");
                assert!(entry.token == *text && entry.kind == *kind, "an entry of another token");
                rest = if after_token { rest.strip_prefix(' ').expect("a space between words") } else { rest };
                let word = match entry.output {
                    Some(row) => table.word(row).to_string(),
                    None => placeholder(*kind).filter(|_| placeholders).expect("a placeholder").to_owned(),
                };
                let (head, tail) = rest.split_at_checked(word.len()).expect("the drawn word");
                assert!(head.eq_ignore_ascii_case(&word), "the release holds what was not drawn");
                rest = tail;
            }
        }
        after_token = matches!(piece, Piece::Token { .. });
    }
    assert!(rest.is_empty() && account.next().is_none(), "something stands behind the last piece");
}

fn placeholder(kind: TokenKind) -> Option<&'static str> {
    match kind {
        TokenKind::Word | TokenKind::Redacted | TokenKind::Kept => None,
        TokenKind::Url => Some("[url]"),
        TokenKind::Email => Some("[email]"),
        TokenKind::Number => Some("[number]"),
    }
}
