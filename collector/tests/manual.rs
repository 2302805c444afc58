//! What shells and `man` know of `textveil-collector`.

#[test]
fn shells_and_the_manual_know_every_command() {
    textveil_tests::shell::check(env!("CARGO_BIN_EXE_textveil-collector"), "textveil-collector");
}
