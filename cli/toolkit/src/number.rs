//! Numbers as options have them.

/// A number.
///
/// # Errors
/// The text is not a number. A comma in place of the decimal point is named.
pub fn number(text: &str) -> Result<f64, &'static str> {
    text.parse::<f64>().map_err(|_| match text.replacen(',', ".", 1).parse::<f64>() {
        Ok(_) => "write a decimal point instead of the comma",
        Err(_) => "it is not a number",
    })
}

/// A number that fits.
///
/// # Errors
/// It is no number, or it does not fit, which the message says.
pub fn number_that(fits: impl Fn(f64) -> bool, text: &str, message: &'static str) -> Result<f64, &'static str> {
    number(text).and_then(|number| if fits(number) { Ok(number) } else { Err(message) })
}

/// A share of a whole that is neither nothing nor all.
///
/// # Errors
/// It does not lie between 0 and 1.
pub fn share(text: &str) -> Result<f64, &'static str> {
    number_that(|share| share > 0.0 && share < 1.0, text, "it must lie between 0 and 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_comma_is_named() {
        assert_eq!(number("8,5"), Err("write a decimal point instead of the comma"));
        assert_eq!(share("0,05"), Err("write a decimal point instead of the comma"));
        assert_eq!(number("1,000.5"), Err("it is not a number"));
        assert_eq!(number("much"), Err("it is not a number"));
        assert_eq!(number("-8.5"), Ok(-8.5));
    }

    #[test]
    fn a_share_is_neither_nothing_nor_all() {
        assert_eq!(share("0.05"), Ok(0.05));
        for text in ["0", "1", "-0.1", "nan", "inf"] {
            assert_eq!(share(text), Err("it must lie between 0 and 1"), "{text}");
        }
    }
}
