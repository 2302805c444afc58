//! A plan as one page.

use maud::{Markup, html};
use textveil_toolkit::report::{Cell, Sheet};

use super::study::Findings;
use crate::estimate::{Home, shell};

const TITLE: &str = "What releases of such texts would tell";

pub(super) fn page(findings: &Findings, texts: usize) -> Markup {
    let body = html! {
        header {
            h1 { (TITLE) }
            p { "Each way to release a text was tried on " (texts) " texts. This page holds none of them." }
        }
        @if !findings.answers.is_empty() || !findings.notes.is_empty() {
            section.answer { @for line in findings.answers.iter().chain(&findings.notes) { p { (line) } } }
        }
        @for sheet in &findings.sheets { (table(sheet)) }
        section {
            h2 { "How to read this" }
            p {
                "ε bounds what a release tells of a text: whatever else had been written, the same could have come \
                 out, at most e to the power of ε times less often. Word by word, ε adds up over a text. Of a statement it \
                 covers the whole text."
            }
            p { "Intervals hold 95 %, Student's, over five parts of the texts. They do not count that other texts may be unlike these." }
        }
    };
    shell(TITLE, &Home::File, &body)
}

fn table(sheet: &Sheet) -> Markup {
    html! {
        section {
            h2 { (sheet.title) }
            div.scroll tabindex="0" role="region" aria-label=(sheet.title) {
                table {
                    thead { tr { @for column in &sheet.columns { th scope="col" { (column) } } } }
                    tbody {
                        @for row in &sheet.rows {
                            tr {
                                @for (place, cell) in row.iter().enumerate() {
                                    @if place == 0 { th scope="row" { (cell.shown()) } }
                                    @else if matches!(cell, Cell::Text(_)) && place == 1 { td { (cell.shown()) } }
                                    @else { td.number { (cell.shown()) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
