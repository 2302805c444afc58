//! One canonical form for what cannot be seen: ignorable characters vanish, look-alike layout becomes plain.

use alloc::string::String;

/// Drops ignorable characters and maps layout characters to the layout alphabet.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut visible = text.chars().filter(|c| !is_ignorable(*c)).peekable();
    while let Some(c) = visible.next() {
        match c {
            '\r' => {
                visible.next_if_eq(&'\n');
                out.push('\n');
            }
            '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => out.push(' '),
            '\u{2018}'..='\u{201b}' | '\u{2bc}' => out.push('\''),
            '\u{201c}'..='\u{201f}' | '«' | '»' => out.push('"'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
            '…' => out.push_str("..."),
            _ => out.push(c),
        }
    }
    out
}

/// Characters that leave no mark on the page, and so could carry what nobody sees. (All but the zero-width
/// joiner, which makes one emoji of several; it never passes in clear.)
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// The characters that pass in clear.
pub(super) fn is_layout(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '"' | '(' | ')' | '-' | '/')
}
