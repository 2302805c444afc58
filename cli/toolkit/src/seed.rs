//! What draws follow from: the operating system, or a seed for research.

use anyhow::Result;
use clap::Args;
use getrandom::SysRng;
use sha2::{Digest, Sha256};
use textveil::{ReleaseRng, release_rng, seeded_rng};

/// The source of draws, as an option.
#[derive(Args)]
pub struct Randomness {
    /// 64 hexadecimal digits that fix every draw, whatever the number of threads. INSECURE: a person who knows them can
    /// undo the release. For research and tests only.
    #[arg(long, value_name = "HEX")]
    seed: Option<Seed>,
}

#[derive(Clone, Copy)]
struct Seed([u8; 32]);

impl std::str::FromStr for Seed {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
        let digits = digits.filter(|digits| digits.len() == 64).ok_or("a seed is 64 hexadecimal digits")?;
        Ok(Self(std::array::from_fn(|i| digits[2 * i] << 4 | digits[2 * i + 1])))
    }
}

impl Randomness {
    /// Whether a seed fixes the draws.
    pub fn is_seeded(&self) -> bool {
        self.seed.is_some()
    }

    /// Says what a seed means.
    pub fn warn(&self) {
        if self.is_seeded() {
            eprintln!("warning: every draw follows from --seed; whoever knows it can undo this release");
        }
    }

    /// The digest of the seed, to tell two runs apart.
    pub fn name(&self) -> Option<String> {
        self.seed.map(|Seed(seed)| crate::files::hexadecimal(&Sha256::digest(seed)))
    }

    /// A generator for a release; under a seed, the stream that has the release's number. (Equal texts get different
    /// draws, since different people wrote them.)
    pub fn rng(&self, number: u64) -> Result<ReleaseRng> {
        let Some(Seed(seed)) = self.seed else { return Ok(release_rng(&mut SysRng)?) };
        let mut rng = seeded_rng(seed);
        rng.set_stream(number);
        Ok(rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_digits_and_nothing_else() {
        let seed = |text: &str| text.parse::<Seed>().map(|Seed(bytes)| bytes);
        assert_eq!(seed(&"0F".repeat(32)), Ok([15; 32]));
        for wrong in ["+f".repeat(32), "0f".repeat(31), "0f".repeat(33), "é".repeat(32)] {
            assert!(seed(&wrong).is_err());
        }
    }
}
