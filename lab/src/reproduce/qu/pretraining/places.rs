//! Places of texts in JSON: a bit for each text, four of them a hexadecimal digit.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;
use textveil_toolkit::files::hexadecimal;

pub(super) fn serialize<S: Serializer>(places: &[u32], to: S) -> Result<S::Ok, S::Error> {
    let mut bytes = vec![0_u8; places.iter().max().map_or(0, |last| *last as usize / 8 + 1)];
    places.iter().for_each(|place| bytes[*place as usize / 8] |= 1 << (place % 8));
    to.serialize_str(&hexadecimal(&bytes))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
    let digits = String::deserialize(from)?;
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
    let bytes = bytes.ok_or_else(|| D::Error::custom("places are hexadecimal digits"))?;
    let of_byte = |(at, byte): (u32, u8)| (0..8).filter(move |bit| (byte >> bit) & 1 == 1).map(move |bit| 8 * at + bit);
    Ok((0..).zip(bytes).flat_map(of_byte).collect())
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Wrong(#[serde(with = "super")] Vec<u32>);

    #[test]
    fn places_are_read_as_they_were_written() {
        let far = format!("\"{:0>5002}\"", "01");
        for (places, digits) in [(vec![], "\"\""), (vec![0, 3, 8], "\"0901\""), (vec![20_000], far.as_str())] {
            assert_eq!(serde_json::to_string(&Wrong(places.clone())).expect("JSON"), digits);
            assert_eq!(serde_json::from_str::<Wrong>(digits).expect("places").0, places);
        }
        assert!(["\"0\\u00e9\"", "\"xy\"", "7"].iter().all(|json| serde_json::from_str::<Wrong>(json).is_err()));
    }
}
