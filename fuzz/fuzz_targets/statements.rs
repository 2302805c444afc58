//! libFuzzer's way into [`textveil_fuzz::statements`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| textveil_fuzz::statements(data));
