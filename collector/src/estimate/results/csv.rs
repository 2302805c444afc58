//! The shares as CSV, each in a row.

use anyhow::Result;
use csv::Writer;

use super::Results;

/// The columns of the CSV, behind those of groups.
const CSV_COLUMNS: [&str; 16] = [
    "period",
    "name",
    "estimate",
    "low",
    "high",
    "low together",
    "high together",
    "released",
    "reports",
    "releases",
    "left out",
    "never drawn",
    "below noise",
    "near",
    "confidence",
    "groups not shown",
];

impl Results {
    /// Each share in a row.
    ///
    /// # Errors
    /// What cannot be written.
    pub(crate) fn csv(&self) -> Result<String> {
        let mut writer = Writer::from_writer(Vec::new());
        let columns =
            self.groups.first().map(|group| group.of.iter().map(|(name, _)| name.as_str())).into_iter().flatten();
        writer.write_record(columns.chain(CSV_COLUMNS))?;
        for group in &self.groups {
            for period in &group.periods {
                for share in &period.shares {
                    let of = group.of.iter().map(|(_, value)| as_cell(value.as_deref().unwrap_or_default()));
                    let [low, high] = share.interval;
                    let [low_together, high_together] = share.together;
                    let numbers = [share.estimate, low, high, low_together, high_together, share.released];
                    let counts = [period.reports, period.releases].map(|count| count.to_string());
                    let names = [period.period.clone().unwrap_or_default(), as_cell(&share.name)];
                    let numbers = numbers.map(|number| number.to_string()).into_iter().chain(counts);
                    let of_all = [
                        period.left_out.to_string(),
                        self.never_drawn.to_string(),
                        share.below_noise.to_string(),
                        self.law.near.unwrap_or(1).to_string(),
                        self.confidence.to_string(),
                        self.groups_not_shown.to_string(),
                    ];
                    writer.write_record(of.chain(names).chain(numbers).chain(of_all))?;
                }
            }
        }
        Ok(String::from_utf8(writer.into_inner().map_err(csv::IntoInnerError::into_error)?)?)
    }
}

/// What a spreadsheet does not take for a formula.
fn as_cell(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\'', '＝', '＋', '－', '＠']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}
