//! How many instructions a case may cost.

use std::collections::BTreeMap;

use serde_json::Value;

/// How much above its limit a count may be. A count that is as much below deserves a new limit.
const TOLERANCE: f64 = 0.05;

/// The counts in words.
///
/// # Errors
/// A count is above its limit, or has no limit.
pub fn judge(counts: &BTreeMap<&str, u64>, limits: &Value) -> Result<String, String> {
    let judged = counts.iter().map(|(case, count)| {
        let limit = limits[*case].as_f64().ok_or_else(|| format!("{case} has no limit"))?;
        let found = *count as f64;
        let note = format!("{case} {count} ({:+.1} %)", 100.0 * (found / limit - 1.0));
        if found > limit * (1.0 + TOLERANCE) {
            Err(format!("{note}: above its limit of {limit}"))
        } else if found < limit * (1.0 - TOLERANCE) {
            Ok(note + ", far below: cargo xtask budget --write")
        } else {
            Ok(note)
        }
    });
    Ok(judged.collect::<Result<Vec<_>, String>>()?.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_five_per_cent_more_pass_far_fewer_ask_for_a_new_limit_and_a_case_without_a_limit_fails() {
        let limits = serde_json::json!({ "certified_draw": 1000 });
        let judged = |case, count| judge(&BTreeMap::from([(case, count)]), &limits).ok();
        assert_eq!(judged("certified_draw", 1050).as_deref(), Some("certified_draw 1050 (+5.0 %)"));
        assert_eq!(judged("certified_draw", 1060), None);
        assert!(judged("certified_draw", 900).is_some_and(|note| note.contains("budget --write")));
        assert_eq!(judged("new", 1), None);
    }
}
