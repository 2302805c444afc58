//! Little-endian fields of a byte slice; `None` past its end.

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    field(bytes, at).map(u16::from_le_bytes)
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    field(bytes, at).map(u32::from_le_bytes)
}

pub(crate) fn f64_at(bytes: &[u8], at: usize) -> Option<f64> {
    field(bytes, at).map(f64::from_le_bytes)
}
