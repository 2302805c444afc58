//! Contributions to new words, as the foreign callers see them.

use std::thread;

use textveil_mobile::{ContributionNoise, Contributor};

const TABLE: &[u8] = include_bytes!("../../tests/tables/wide.tvt");

/// A request for two words, with noise as told.
fn request(noise: &str) -> String {
    let id: String = TABLE[32..64].iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        r#"{{"table":"{id}","dims":5,"window":5,"mean":[0,0,0,0,0],"words":["bloop","zorp"],"wordsEach":60,"norm":4096,"noise":{noise},"epsilon":3,"delta":1e-6}}"#
    )
}

fn contributor(noise: &str) -> Contributor {
    Contributor::new(&request(noise), Some(TABLE.to_vec()), true).expect("a contributor")
}

#[test]
fn one_of_many_threads_answers() {
    let contributor = contributor(r#"{"by":"sum"}"#);
    let answered = thread::scope(|scope| {
        let ask = || contributor.contribute(vec!["the zorp app is late".into()], None);
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).collect::<Vec<_>>()
    });
    let (given, refused): (Vec<_>, Vec<_>) = answered.into_iter().partition(Result::is_ok);
    assert_eq!((given.len(), refused.len()), (1, 7));
    let refused = format!("{:?}", refused[0].as_ref().expect_err("a refusal"));
    assert!(refused.starts_with("AlreadyContributed"), "{refused}");
    let given = given[0].as_ref().expect("a contribution");
    assert_eq!((given.vector.len(), &given.vector[..5], given.id.clone()), (10, &[0; 5][..], contributor.id()));
    assert!(given.guarantee.statement.contains("protects nobody"));
}

#[test]
fn with_noise_by_the_devices_no_bare_contribution_leaves() {
    let noise = r#"{"by":"devices","least":4}"#;
    let [first, second] = [0, 1].map(|_| contributor(noise).contribute(Vec::new(), Some(1.0)).expect("a contribution"));
    // Nothing to say: noise alone, of the operating system's.
    assert!(first.vector.iter().any(|number| *number != 0) && first.vector != second.vector);
    assert_eq!((first.guarantee.noise, first.guarantee.epsilon), (ContributionNoise::Devices { least: 4 }, 1.0));
    assert_eq!(first.guarantee, contributor(noise).guarantee(Some(1.0)).expect("a guarantee"));
}

#[test]
fn what_a_text_is_does_not_decide_whether_a_device_answers() {
    let [zorp, milk] = ["The zorp app is late.", "zorp app "].map(str::to_owned);
    let vector = |texts: Vec<String>| contributor(r#"{"by":"sum"}"#).contribute(texts, None).expect("an answer").vector;
    // Too long after NFKC, and before.
    let too_long = ["\u{fdfa}", milk.as_str()].map(|text| text.repeat(1 << 18));
    assert_eq!(vector([[zorp.clone()].as_slice(), &too_long].concat()), vector(vec![zorp]));
}

#[test]
fn the_librarys_own_table_is_another() {
    let refused = |request: &str, trusted_sum| format!("{:?}", Contributor::new(request, None, trusted_sum).err());
    assert!(refused(&request(r#"{"by":"sum"}"#), true).contains("OtherTable"));
    assert!(refused(&request(r#"{"by":"sum"}"#), false).contains("NoiseElsewhere"));
    let by_many = request(r#"{"by":"devices","least":10001}"#);
    assert!(refused(&by_many, false).contains("NoiseElsewhere") && refused(&by_many, true).contains("OtherTable"));
    assert!(refused("{}", true).contains("BadRequest"));
}
