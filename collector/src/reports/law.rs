//! The mechanism that a guarantee declares, prepared anew: what textveil states of it must be what is declared.

use anyhow::{Context, Result, ensure};
use textveil::{Declared, DeclaredDraw, Guarantee, Privatizer, Table};

pub(crate) const FORGED: &str = "its guarantee is not what textveil states of its mechanism";

/// The mechanism for words.
///
/// # Errors
/// It is about words of another table, shows words in clear, or is not what textveil states.
pub(crate) fn privatizer(draw: &DeclaredDraw, table: &Table) -> Result<Privatizer> {
    let DeclaredDraw { terms, losses } = draw;
    let id = table.id().to_string();
    ensure!(terms.table.as_deref() == Some(&*id), "its words are of another table than {}…", &id[..8]);
    let disclosure = terms.disclosure();
    ensure!(
        !disclosure.function_words && !disclosure.placeholders,
        "it shows some words in clear: nothing is estimated from such releases"
    );
    let mechanism = terms.mechanism(losses).context(FORGED)?;
    let privatizer = Privatizer::new(table, mechanism, disclosure).context(FORGED)?;
    ensure!(is_stated(draw, &privatizer.guarantee(losses.words as usize)), FORGED);
    Ok(privatizer)
}

/// By how much of itself an ε may differ.
pub(crate) const ROUNDED: f64 = 1e-9;

/// Whether a guarantee is the declared one, but for rounding.
pub(crate) fn is_stated(draw: &DeclaredDraw, stated: &Guarantee) -> bool {
    let mut stated = Declared::from(stated).into_draw();
    let is_near = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 10.0 * ROUNDED * a.abs(),
        (a, b) => a == b,
    };
    for (own, declared) in [
        (&mut stated.losses.epsilon_word, draw.losses.epsilon_word),
        (&mut stated.losses.epsilon_text, draw.losses.epsilon_text),
    ] {
        if is_near(*own, declared) {
            *own = declared;
        }
    }
    for (name, own) in &mut stated.terms.parameters {
        if let Some(declared) = draw.terms.parameters.get(name).filter(|declared| is_near(Some(*own), Some(**declared)))
        {
            *own = *declared;
        }
    }
    stated == *draw
}
