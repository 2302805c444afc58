//! New words for a table, learned from many users' texts: the side of the device.
//!
//! A collector publishes a [`Request`]: words that a table lacks, and the public vectors in which their contexts are read. A
//! [`Contributor`] reads one user's texts on the user's device and gives one vector of integers: for each new word the mean of
//! its contexts. All contributions are added up, and exact Gaussian noise on the sum protects each user. The collector turns the
//! noisy sum into vectors for the words (`textveil table extend`).
//!
//! # Privacy
//! A contribution has norm [`Request::norm`] at most, in integers and exactly, so the sum moves by no more than that if one user
//! joins or leaves with all texts. Noise is either added to the sum by who holds it ([`Sum::release`]), or in shares by the devices
//! ([`Contributor::noised`]), so that a secure sum holds it already. In the second case a device without anything to say sends zeros
//! and its share: neighbours are then two sets of users of whom one has texts or none, and that a device answers is not hidden.
//! Both are concentrated DP (Canonne, Kamath and Steinke 2020; Kairouz, Liu and Steinke 2021), converted to ε and δ.
//!
//! A contribution without noise protects nobody by itself: it may only go where it is added up unseen. A [`Device`] answers a request
//! once, with its share of the noise where the request asks for it.
//!
//! # Source
//! Means of contexts as vectors of rare words: Khodak et al., "A La Carte Embedding", ACL 2018.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod contribution;
mod device;
mod error;
mod request;
mod sum;

pub use contribution::{Contributor, Gathered, Token, Weights};
pub use device::{Answer, Device};
pub use error::Error;
pub use request::{Guarantee, MEAN_UNIT, Noise, Request, Terms};
pub use sum::Sum;
