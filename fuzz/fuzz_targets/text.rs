//! libFuzzer's way into [`textveil_fuzz::text`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| textveil_fuzz::text(data));
