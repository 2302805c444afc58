//! Lists whose statements are the answers of a question: a person chooses one, and no encoder finds it.

use textveil::{FileId, StatementList, Statements};

/// What a list of answers has in place of an encoder.
pub const NO_ENCODER: FileId = FileId::new([0; 32]);

/// Whether the statements of a list are the answers of a question.
#[must_use]
pub fn are_in(list: &StatementList) -> bool {
    list.encoder() == NO_ENCODER
}

/// How many statements are near to a text where nobody says it. An answer is near to itself alone.
#[must_use]
pub fn usual_near(list: &StatementList, epsilon: f64) -> usize {
    if are_in(list) { 1 } else { Statements::usual_near(list.len(), epsilon) }
}
