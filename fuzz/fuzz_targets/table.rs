//! libFuzzer's way into [`textveil_fuzz::table`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| textveil_fuzz::table(data));
