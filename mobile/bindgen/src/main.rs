//! uniffi's generator, pinned with the crate that it generates for. `cargo xtask mobile` and maturin call it.

fn main() {
    uniffi::uniffi_bindgen_main();
}
