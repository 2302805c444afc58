//! libFuzzer's way into [`textveil_fuzz::ledger`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| textveil_fuzz::ledger(data));
