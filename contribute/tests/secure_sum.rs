//! Contributions in Prio3SumVec (IETF draft on verifiable distributed aggregation functions) with two aggregators. Each
//! aggregator sees random shares alone, and the result is the sum of the contributions.

use prio::codec::Encode;
use prio::vdaf::prio3::{Prio3SumVec, optimal_chunk_length};
use prio::vdaf::{Aggregator, Client, Collector, PrepareTransition};
use textveil::{Table, seeded_rng};
use textveil_contribute::{Contribution, Contributor, Noise, Request, Terms};

const CONTEXT: &[u8] = b"textveil: new words";

fn contributor(noise: Noise) -> Contributor {
    let table = Table::english().expect("the built-in table");
    let terms = Terms {
        table: table.id().to_string(),
        dims: 8,
        window: 5,
        mean: vec![0; 8],
        words: ["bloop", "zorp"].map(str::to_owned).into(),
        words_each: 60,
        norm: 4096,
        noise,
        epsilon: 3.0,
        delta: 1e-6,
    };
    Contributor::new(Request::new(terms).expect("a request"), table).expect("its table")
}

/// The sum of vectors of integers of this absolute value at most, by two aggregators.
fn secure_sum(vectors: &[Vec<i32>], largest: u32, bits: u32) -> Vec<i64> {
    let length = vectors[0].len();
    let chunk = optimal_chunk_length(bits as usize * length);
    let prio = Prio3SumVec::new_sum_vec(2, bits as usize, length, chunk).expect("an instance");
    let key = [9; 32];
    let mut shares: [Vec<_>; 2] = [Vec::new(), Vec::new()];
    for (number, vector) in vectors.iter().enumerate() {
        // The device: numbers from 0 up, split into two shares that are uniform each.
        let measurement: Vec<u128> = vector.iter().map(|x| (i64::from(*x) + i64::from(largest)) as u128).collect();
        let nonce = (number as u128).to_be_bytes();
        let (public, inputs) = prio.shard(CONTEXT, &measurement, &nonce).expect("numbers in range");
        assert_eq!(inputs.len(), 2);
        // Each aggregator checks a proof with its own share alone.
        let (states, prepared): (Vec<_>, Vec<_>) = inputs
            .iter()
            .enumerate()
            .map(|(id, input)| prio.prepare_init(&key, CONTEXT, id, &(), &nonce, &public, input).expect("a share"))
            .unzip();
        let message = prio.prepare_shares_to_prepare_message(CONTEXT, &(), prepared).expect("a valid proof");
        for (shares, state) in shares.iter_mut().zip(states) {
            let PrepareTransition::Finish(share) = prio.prepare_next(CONTEXT, state, message.clone()).expect("a share")
            else {
                unreachable!("Prio3 has one round")
            };
            shares.push(share);
        }
    }
    let sums: Vec<_> = shares.map(|shares| prio.aggregate(&(), shares).expect("a sum")).into();
    assert_ne!(sums[0].get_encoded().expect("bytes"), sums[1].get_encoded().expect("bytes"));
    let sum = prio.unshard(&(), sums, vectors.len()).expect("the sum");
    let moved = i64::from(largest) * vectors.len() as i64;
    sum.into_iter().map(|x| i64::try_from(x).expect("a sum in range") - moved).collect()
}

const TEXTS: [&str; 4] = [
    "The bloop is broken, and my zorp never came.",
    "Where can I buy a zorp? Every shop has sold its bloop.",
    "A zorp is a warm drink of milk and honey.",
    "Nothing of the kind here.",
];

fn added(vectors: &[Vec<i32>]) -> Vec<i64> {
    (0..vectors[0].len()).map(|j| vectors.iter().map(|vector| i64::from(vector[j])).sum()).collect()
}

#[test]
fn two_aggregators_get_the_sum_of_contributions() {
    let contributor = contributor(Noise::Sum);
    let request = contributor.request();
    assert_eq!((request.largest(), request.bits()), (4096, 14));
    let vectors = TEXTS.map(|text| contributor.contribution([text], None).expect("a short text").into_exact());
    assert!(vectors[3].iter().all(|number| *number == 0));
    assert_eq!(secure_sum(&vectors, request.largest(), request.bits()), added(&vectors));
}

#[test]
fn two_aggregators_get_a_sum_that_holds_the_noise_of_the_devices_already() {
    let contributor = contributor(Noise::Devices { least: 4 });
    let request = contributor.request();
    let mut rng = seeded_rng([5; 32]);
    let contributions = TEXTS.map(|text| contributor.contribution([text], None).expect("a short text"));
    let vectors = contributions.each_ref().map(|exact| contributor.noised(exact, &mut rng).expect("noise of devices"));
    let sum = secure_sum(&vectors, request.largest(), request.bits());
    assert_eq!(sum, added(&vectors));
    let exact = added(&contributions.map(Contribution::into_exact));
    assert_ne!(sum, exact);
    let spread = 6.0 * (4.0 * request.variance().get()).sqrt();
    assert!(sum.iter().zip(&exact).all(|(noisy, exact)| ((noisy - exact) as f64).abs() < spread));
}

#[test]
fn a_number_out_of_range_is_no_measurement() {
    let prio = Prio3SumVec::new_sum_vec(2, 14, 1, 4).expect("an instance");
    assert!(prio.shard(CONTEXT, &vec![1 << 14], &[0; 16]).is_err());
}
