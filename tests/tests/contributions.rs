//! Contributions to new words, as the independent Python reference makes them.

use serde::Deserialize;
use textveil::normalize;
use textveil_contribute::{Answer, Device, Error, Noise, Request};
use textveil_tests::{rng, table, vectors};

#[derive(Deserialize)]
struct Vectors {
    requests: Vec<Asked>,
    cases: Vec<Case>,
    refused: Vec<Refused>,
}

#[derive(Deserialize)]
struct Asked {
    name: String,
    table: String,
    request: String,
    published: String,
    id: String,
    largest: u32,
    bits: u32,
}

#[derive(Deserialize)]
struct Case {
    request: String,
    texts: Vec<String>,
    epsilon: Option<f64>,
    seed: String,
    vector: Vec<i32>,
    rho: f64,
}

#[derive(Deserialize)]
struct Refused {
    table: String,
    request: String,
    epsilon: Option<String>,
    unit: String,
    times: usize,
    error: Option<String>,
}

fn answer(
    request: &str,
    table_name: &str,
    texts: &[String],
    epsilon: Option<f64>,
    seed: &str,
) -> Result<Answer, Error> {
    let texts: Vec<String> = texts.iter().map(|text| normalize(text)).collect();
    let mut device = Device::trusting_the_sum(Request::from_json(request)?, table(table_name))?;
    device.answer(texts.iter().map(String::as_str), epsilon, &mut rng(seed))
}

#[test]
fn a_request_is_read_and_told_apart_as_by_the_reference() {
    for Asked { name, request, published, id, largest, bits, .. } in vectors::<Vectors>("contributions.json").requests {
        let request = Request::from_json(&request).expect("a request");
        assert_eq!((request.to_json(), request.id()), (published, id), "{name}");
        assert_eq!((request.largest(), request.bits()), (largest, bits), "{name}");
    }
}

#[test]
fn a_device_answers_the_references_integers_with_its_guarantee() {
    let Vectors { requests, cases, .. } = vectors("contributions.json");
    for case in &cases {
        let asked = requests.iter().find(|asked| asked.name == case.request).expect("a request of that name");
        let answer = answer(&asked.request, &asked.table, &case.texts, case.epsilon, &case.seed).expect("an answer");
        assert_eq!(answer.vector, case.vector, "{} {:?}", case.request, case.texts);
        // A device draws noise from the known seed only where devices add it.
        let is_drawn = matches!(answer.guarantee.noise, Noise::Devices { .. });
        assert_eq!(answer.guarantee.known_seed, is_drawn, "{}", case.request);
        let rho = answer.guarantee.rho;
        assert!((rho - case.rho).abs() <= 1e-9 * case.rho, "{}: {rho} for {}", case.request, case.rho);
    }
    let with_shares = requests.iter().filter(|asked| {
        let request = Request::from_json(&asked.request).expect("a request");
        matches!(request.terms().noise, Noise::Devices { .. })
    });
    assert_eq!(with_shares.count(), 2);
}

#[test]
fn what_breaks_a_rule_is_refused_as_by_the_reference() {
    for Refused { table, request, epsilon, unit, times, error } in vectors::<Vectors>("contributions.json").refused {
        let epsilon = epsilon.map(|spelled| spelled.parse().expect("a number"));
        let found = answer(&request, &table, &[unit.repeat(times)], epsilon, &"0".repeat(64)).err().map(Error::code);
        assert_eq!(found, error.as_deref(), "{request} {epsilon:?} {unit:?} {times}");
    }
}
