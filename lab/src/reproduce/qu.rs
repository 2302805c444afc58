//! Qu, Kong, Yang, Zhang, Bendersky and Najork (CIKM 2021), "Natural Language Understanding with Privacy-Preserving
//! BERT". Noise is added to each word's vector. A classifier reads the noisy vectors (token representations) or the
//! words nearest to them. The latter is text to text, the mechanism of Feyisetan, Balle, Drake and Diethe, WSDM 2020.
//!
//! What the paper claims holds: two words at distance d are told apart by no more than η·d. But η belongs to the
//! distances of a table, and the paper's are those of BERT. So this module seeks the η at which the attack of Table 3
//! names as many of the words as in the paper ([`strengths`]). Each row says what η is worth in nats ([`setting`]). The
//! certified mechanism at the same metric constant is tested next to the noise.

pub(super) mod accuracy;
mod attack;
mod corpus;
pub(super) mod figure_3;
pub(super) mod figure_4;
pub(super) mod inversion;
pub(super) mod pretraining;
pub(super) mod printed;
pub(super) mod sentences;
pub(super) mod sequence;
mod setting;
mod strengths;
pub(super) mod words;

/// The sets of the paper.
const SETS: [(&str, &str); 2] = [("sst2", "SST-2"), ("qqp", "QQP")];
const DATA: [&str; 2] = [SETS[0].0, SETS[1].0];

/// What holds of all tables.
const WHY: &str = "eta is a rate per unit of distance, and the distances are another table's: 24 fitted dimensions \
instead of BERT's 768. So ours is matched: at each of the paper's eta the nearest word names as many tokens of SST-2's \
training texts as the paper's Table 3 says. What the paper claims holds of its noise: eta times a distance, here at the \
median one and at the largest, for the exchange of one word. A text loses as much for each of its words. But noise of \
this law is drawn in floating point, within a total variation of about 1e-10, which at tens of nats is a delta of up to \
1: nothing is proved there of what is drawn, except of near words. The certified mechanism is drawn exactly. \
Classifiers are BiLSTMs on vectors that are not trained, 32 units a direction, 6 epochs, on at most 8,000 texts of SST-2 \
and of QQP's sample, 40 words of each. The paper has all 67,000 and 364,000 texts and wordpieces. A pair of texts is read \
as one.";
