//! New words for a table, learned from many users' texts: the side of the device.
//!
//! A collector publishes a [`Request`]: words that a table lacks, and the public vectors in which their contexts are read. A
//! [`Contributor`] reads one user's texts on the user's device and gives one vector of integers: for each new word the mean of
//! its contexts. All contributions are added up, and exact Gaussian noise on the sum protects each user. The collector turns the
//! noisy sum into vectors for the words (`textveil table extend`).
//!
//! # Privacy
//! A contribution has norm [`Request::norm`] at most, in integers and exactly. So the sum moves by at most that norm if
//! one user joins or leaves with all texts. Either the holder of the sum adds the noise ([`Sum::release`]), or the
//! devices add it in shares ([`Contributor::noised`]), so that a secure sum already holds it. In the second case a
//! device with nothing to say sends zeros and its share of the noise. Neighbours are then two sets of the same users,
//! where one user has texts in the first set and no texts in the second. The mechanism does not hide that a device
//! answers. Both are concentrated DP (Canonne, Kamath and Steinke 2020; Kairouz, Liu and Steinke 2021), converted to ε
//! and δ.
//!
//! A contribution without noise protects nobody by itself: it may only go where it is added up unseen, each user once. A [`Device`]
//! answers a request once, with its share of the noise where the request asks for it. It counts on 10,000 devices at most
//! ([`Device::MOST_DEVICES`]).
//!
//! # Source
//! Means of contexts as vectors of rare words: Khodak et al., "A La Carte Embedding", ACL 2018.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

extern crate alloc;

mod contribution;
mod device;
mod error;
mod request;
mod sum;

pub use contribution::{Contribution, Contributor, Gathered, Token, Weights};
pub use device::{Answer, Device};
pub use error::Error;
pub use request::{Guarantee, MEAN_UNIT, Noise, Request, Terms};
pub use sum::Sum;
