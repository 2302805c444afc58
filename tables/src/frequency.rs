//! Word frequencies from `wordfreq`'s list: which words are common, in what order, and how common.
//!
//! The file is gzipped MessagePack: an array whose first element is a header. The n-th further element lists, in
//! alphabetical order, the words of frequency 10^(−n/100) (n "centibels" below certainty). A run of two or more digits
//! is written as zeros ("00th", "0000"), with the frequency of all such tokens together.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use serde::Deserialize;

/// The Zipf scale counts occurrences in a billion words, as a logarithm to base 10.
const ZIPF_OF_CERTAINTY: f64 = 9.0;

/// Words by falling frequency.
pub(crate) struct Frequencies {
    words: Vec<String>,
    zipf: HashMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Element {
    Header { format: String, version: u32 },
    Words(Vec<String>),
}

impl Frequencies {
    /// Reads `large_en.msgpack.gz`.
    ///
    /// # Errors
    /// The file cannot be read or is not of this format.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let read = || {
            let mut bytes = Vec::new();
            GzDecoder::new(BufReader::new(File::open(path)?)).read_to_end(&mut bytes)?;
            Self::parse(&bytes)
        };
        read().with_context(|| format!("cannot read the word frequencies in {}", path.display()))
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let mut elements = rmp_serde::from_slice::<Vec<Element>>(bytes)?.into_iter();
        match elements.next() {
            Some(Element::Header { format, version: 1 }) if format == "cB" => {}
            _ => bail!("the file does not begin with a header of format cB, version 1"),
        }
        let (mut words, mut zipf) = (Vec::new(), HashMap::new());
        for (centibels, element) in elements.enumerate() {
            let Element::Words(bin) = element else { bail!("element {} is not a list of words", centibels + 1) };
            for word in bin {
                zipf.insert(word.clone(), ZIPF_OF_CERTAINTY - centibels as f64 / 100.0);
                words.push(word);
            }
        }
        Ok(Self { words, zipf })
    }

    /// All entries, the most frequent first, alphabetically within a frequency.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// The Zipf frequency of a word, or of a number such as `17`, `1987` or `21st`; nothing if unknown.
    pub(crate) fn zipf(&self, word: &str) -> Option<f64> {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if digits < 2 {
            return self.zipf.get(word).copied();
        }
        let (number, suffix) = word.split_at(digits);
        let shape = self.zipf.get(&("0".repeat(digits) + suffix))?;
        Some(shape + libm::log10(share_of_number(number)))
    }
}

/// The share of one number among all tokens of as many digits. The first digit follows Benford's law, and the other
/// digits are uniform. Four digits get only a tenth of that, since nine in ten are years.
fn share_of_number(number: &str) -> f64 {
    let first = f64::from(number.as_bytes()[0] - b'0');
    let benford = libm::log10(1.0 + 1.0 / first.max(1.0)) / libm::pow(10.0, number.len() as f64 - 1.0);
    match number.parse::<u16>() {
        Ok(year) if number.len() == 4 => 0.1 * benford + 0.9 * share_of_year(f64::from(year)),
        _ => benford,
    }
}

/// The share of one year among years. It is level from 2019 to 2039. It falls by a factor of 10^−0.0083 for each year
/// before, and by 10^−0.2 for each year after.
fn share_of_year(year: f64) -> f64 {
    let (before, after) = (0.0083, 0.2);
    let tail = |decay: f64| 1.0 / (libm::pow(10.0, decay) - 1.0);
    let total = 21.0 + tail(before) + tail(after);
    let decay = if year < 2019.0 { before * (2019.0 - year) } else { after * (year - 2039.0).max(0.0) };
    libm::pow(10.0, -decay) / total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Frequencies {
        // [{"format": "cB", "version": 1}, ["the"], [], ["0000", "of"]]
        let mut bytes = vec![0x94, 0x82];
        for text in ["format", "cB", "version"] {
            bytes.push(0xa0 + text.len() as u8);
            bytes.extend(text.bytes());
        }
        bytes.extend([0x01, 0x91, 0xa3, b't', b'h', b'e', 0x90, 0x92, 0xa4, b'0', b'0', b'0', b'0', 0xa2, b'o', b'f']);
        Frequencies::parse(&bytes).expect("a frequency list")
    }

    #[test]
    fn the_position_of_a_list_is_the_frequency_of_its_words() {
        let frequencies = example();
        assert_eq!(frequencies.words().collect::<Vec<_>>(), ["the", "0000", "of"]);
        assert_eq!(frequencies.zipf("the"), Some(9.0));
        assert_eq!(frequencies.zipf("of"), Some(8.98));
        assert_eq!(frequencies.zipf("off"), None);
    }

    #[test]
    fn a_number_takes_its_share_of_its_shape() {
        let frequencies = example();
        let zipf = |word| frequencies.zipf(word).expect("a four-digit number");
        assert!(zipf("2020") > zipf("1900") && zipf("1900") > zipf("5000"));
        assert_eq!(frequencies.zipf("17"), None);
    }

    #[test]
    fn the_shares_of_all_four_digit_numbers_add_up_to_one() {
        let total: f64 = (1000..10000).map(|n: u32| share_of_number(&n.to_string())).sum();
        assert!((total - 1.0).abs() < 1e-6, "{total}");
    }
}
