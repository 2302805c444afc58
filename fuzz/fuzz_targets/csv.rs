//! libFuzzer's way into [`textveil_fuzz::csv`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| textveil_fuzz::csv(data));
