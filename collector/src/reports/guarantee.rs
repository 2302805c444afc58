//! The guarantees under which releases were drawn: what is declared of a release, and what `textveil privatize` states
//! of a file.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Deserialize;
use serde_json::Value;
use textveil::{Declared, DeclaredDraw, Notion, Unit};
use textveil_bulk::csv::Dialect;
use textveil_bulk::guaranteed;

/// What a guarantee declares of a draw.
///
/// # Errors
/// What no release of textveil says, or this version does not know.
fn parse(value: &Value) -> Result<DeclaredDraw> {
    let declared = Declared::deserialize(value).map_err(|_| match value.get("digest") {
        Some(_) => anyhow!("its short guarantee is changed, or of another version: the digest does not fit"),
        None => anyhow!("its guarantee has not the form of a guarantee"),
    })?;
    let draw = declared.into_draw();
    let DeclaredDraw { terms, losses } = &draw;
    ensure!(terms.kind().is_some(), "its mechanism is not known to this version");
    let units = [Unit::Word, Unit::Text, Unit::WholeText, Unit::Value];
    ensure!(units.iter().any(|unit| unit.name() == terms.unit), "its unit is not known");
    ensure!(losses.are_in_range(), "its guarantee has a number out of range");
    ensure!(losses.text_covers_word(), "its guarantee promises more for all its words than for one");
    Ok(draw)
}

/// What is declared of a draw, and whether the draw followed from a known seed. The guarantee is an object or its JSON, as
/// forms send it.
///
/// # Errors
/// As [`parse`].
pub(super) fn read(guarantee: &Value) -> Result<(DeclaredDraw, bool)> {
    let parsed: Value;
    let guarantee = match guarantee {
        Value::String(json) => {
            parsed = serde_json::from_str(json).map_err(|_| anyhow!("its guarantee is not JSON"))?;
            &parsed
        }
        object => object,
    };
    Ok((parse(guarantee)?, guarantee["notion"] == Notion::KnownSeed.name()))
}

/// What holds for the releases of a file.
#[derive(Debug)]
pub(super) struct OfFile {
    pub(super) draw: DeclaredDraw,
    /// Whether draws followed from a seed.
    pub(super) is_seeded: bool,
    /// The most rows that it is about.
    pub(super) rows: u64,
    /// The rows that `textveil privatize` left out.
    pub(super) left_out: u64,
    /// How the table is written, unless its name says so.
    pub(super) dialect: Option<Dialect>,
    /// The columns that were released. Plain lines have no columns.
    pub(super) columns: Vec<String>,
    /// Where it stands.
    place: String,
}

/// What `textveil privatize` states of a file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statement {
    guarantee: Value,
    columns: Vec<String>,
    rows: u64,
    #[serde(default)]
    rows_left_out: u64,
    #[serde(default)]
    insecure_seed: bool,
    dialect: Option<Dialect>,
}

impl OfFile {
    /// Reads the note in the metadata of a Parquet file, or the file next to the releases. If neither is there, it reads
    /// the named file.
    ///
    /// # Errors
    /// It cannot be read, or is no statement of `textveil privatize`. The releases have a guarantee of their own, and the
    /// named file states another one.
    pub(super) fn of(releases: &Path, note: Option<&str>, named: Option<&Path>) -> Result<Option<Self>> {
        let beside = guaranteed::place(releases);
        let own = match note {
            Some(note) => {
                let place = format!("the guarantee in the metadata of {}", releases.display());
                Some(Self::parse(note.as_bytes(), place)?)
            }
            None if beside.is_file() => Some(Self::read(&beside)?),
            None => None,
        };
        let named = named.map(Self::read).transpose()?;
        if let (Some(own), Some(named)) = (&own, &named) {
            ensure!(
                own.states_the_same(named),
                "{} and {} state different guarantees for {}. If the second is about other releases, leave out --guarantee",
                own.place,
                named.place,
                releases.display()
            );
        }
        Ok(own.or(named))
    }

    fn read(path: &Path) -> Result<Self> {
        let place = path.display().to_string();
        let bytes = fs::read(path).with_context(|| format!("cannot read {place}"))?;
        Self::parse(&bytes, place)
    }

    /// Whether another statement says the same of releases. The number of rows may differ, and the length of the longest.
    fn states_the_same(&self, other: &Self) -> bool {
        self.draw.is_like(&other.draw) && self.is_seeded == other.is_seeded && self.columns == other.columns
    }

    /// # Errors
    /// The column was released, and so is not in clear.
    pub(super) fn check_clear(&self, column: &str) -> Result<()> {
        let Self { columns, place, .. } = self;
        ensure!(
            !columns.iter().any(|released| released == column),
            "{place}: the column \"{column}\" was released, and what was drawn makes no groups of people. Name a column in clear"
        );
        Ok(())
    }

    fn parse(bytes: &[u8], place: String) -> Result<Self> {
        let statement: Statement =
            serde_json::from_slice(bytes).map_err(|_| anyhow!("{place}: not a statement of `textveil privatize`"))?;
        let Statement { guarantee, columns, rows, rows_left_out: left_out, insecure_seed, dialect } = statement;
        let (draw, is_seeded) = read(&guarantee).with_context(|| place.clone())?;
        Ok(Self { draw, is_seeded: insecure_seed || is_seeded, rows, left_out, dialect, columns, place })
    }

    /// Whether it is about plain lines.
    pub(super) fn is_of_lines(&self) -> bool {
        self.columns.is_empty()
    }

    /// The column of the release.
    ///
    /// # Errors
    /// The column that is asked for was not released. Or the user names no column, and there are several.
    pub(super) fn field(&self, asked: Option<String>) -> Result<Option<String>> {
        let Self { columns, place, .. } = self;
        match (asked, columns.as_slice()) {
            (Some(field), _) if columns.contains(&field) => Ok(Some(field)),
            (Some(field), []) => {
                bail!("{place}: \"{field}\" is not among the columns that were released: these are plain lines")
            }
            (Some(field), _) => {
                let released = columns.join(", ");
                bail!("{place}: \"{field}\" is not among the columns that were released. They are: {released}")
            }
            (None, []) => Ok(None),
            (None, [column]) => Ok(Some(column.clone())),
            (None, _) => bail!("{place}: it is about the columns {}: name one by --field", columns.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textveil::{Disclosure, Mechanism, MechanismKind, Parameter, Privatizer, Table};

    use super::*;

    fn guarantee(epsilon: f64, words: usize) -> textveil::Guarantee {
        let table = Table::english().expect("the built-in table");
        let mechanism = Mechanism::new(MechanismKind::Certified).with(Parameter::Epsilon, epsilon).expect("a number");
        Privatizer::new(&table, mechanism, Disclosure::default()).expect("a level").guarantee(words)
    }

    #[test]
    fn a_guarantee_is_the_same_as_an_object_and_as_json_and_says_whether_a_seed_was_known() {
        let mut good = guarantee(12.0, 3);
        for is_seeded in [false, true] {
            good.known_seed = is_seeded;
            let (object, json) = (json!(good), json!(json!(good).to_string()));
            assert_eq!(read(&object).expect("textveil's own"), read(&json).expect("textveil's own"));
            assert_eq!(read(&object).expect("textveil's own").1, is_seeded);
        }
    }

    #[test]
    fn a_short_guarantee_says_what_the_long_one_does_and_a_changed_one_says_nothing() {
        let mut good = guarantee(12.0, 3);
        for is_seeded in [false, true] {
            good.known_seed = is_seeded;
            let short = good.short();
            assert_eq!(read(&short).expect("textveil's own"), read(&json!(good)).expect("textveil's own"));
            assert_eq!(read(&json!(short.to_string())).expect("textveil's own").1, is_seeded);
            let mut changed = short;
            changed["epsilonWord"] = json!(11.0);
            let refusal = read(&changed).expect_err("another digest").to_string();
            assert!(refusal.contains("the digest does not fit"), "{refusal}");
        }
    }

    #[test]
    fn what_is_no_guarantee_is_refused_without_a_word_of_it() {
        let good = json!(guarantee(12.0, 3));
        assert!(parse(&good).is_ok());
        let with = |name: &str, value: Value| {
            let mut changed = good.clone();
            changed[name] = value;
            parse(&changed).expect_err("no guarantee").to_string()
        };
        for (name, value, why) in [
            ("mechanism", json!("secret"), "not known to this version"),
            ("unit", json!("secret"), "its unit is not known"),
            ("epsilonWord", json!("secret"), "not the form of a guarantee"),
            ("epsilonWord", json!(-1.0), "a number out of range"),
            ("deltaText", json!(1.5), "a number out of range"),
            ("epsilonText", json!(1.0), "promises more for all its words than for one"),
            ("deltaWord", json!(0.5), "promises more for all its words than for one"),
            ("words", json!(-3), "not the form of a guarantee"),
            ("secret", json!("secret"), "not the form of a guarantee"),
        ] {
            let refusal = with(name, value);
            assert!(refusal.contains(why) && !refusal.contains("secret"), "{refusal}");
        }
        for name in good.as_object().expect("an object").keys() {
            let mut less = good.clone();
            less.as_object_mut().expect("an object").remove(name);
            assert!(parse(&less).is_err(), "without {name}");
        }
        assert!(parse(&json!("at most e^10 times as likely")).is_err());
        let refusal = read(&json!("secret")).expect_err("no guarantee").to_string();
        assert_eq!(refusal, "its guarantee is not JSON");
    }
}
