//! libFuzzer's way into [`textveil_fuzz::parquet`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| textveil_fuzz::parquet(data));
