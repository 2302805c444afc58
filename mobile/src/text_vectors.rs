//! One guarantee for a whole text: the object that draws noisy vectors.

use textveil::{Dropout, Mechanism, MechanismKind, Parameter, ReleaseKey, Representer};

use crate::once::Drawn;
use crate::panics;
use crate::source::{Source, of_field};
use crate::statements::encoder_of;
use crate::veil::normal;
use crate::{Guarantee, Representation, TextVeilError};

/// Represents whole texts by noisy vectors of a text encoder: what a model on a server can learn from. To be called
/// from any thread; every call is synchronous.
///
/// Any two texts are protected from each other, of whatever length: nothing of a text leaves but the vector.
///
/// A text is drawn **once**: for the life of the object, the same text for the same field gives the very same vector,
/// because every further draw would spend ε again. Texts and vectors are remembered in memory, in plain text, for as
/// long; a fresh object forgets. **One object is for one person's texts**: that equal texts have equal vectors would
/// show that two people wrote the same.
#[derive(uniffi::Object)]
pub struct TextVectors {
    pub(crate) representer: Representer,
    encoder_id: String,
    representations: Drawn<ReleaseKey, Representation>,
    pub(crate) source: Source,
}

#[uniffi::export]
impl TextVectors {
    /// With the file of a text encoder: the one that statements are made with, or one for the subject of the texts, as
    /// `textveil table project` makes it. `epsilon` is that of a text, in nats. `dims` says how many of the encoder's
    /// first coordinates are noised: without it 16, or all of an encoder that has fewer.
    ///
    /// # Errors
    /// `BadTable`; `OtherEncoder` for a table that is no text encoder; `InvalidEpsilon` unless it is above 0;
    /// `DimensionMismatch` for no dimension, or more than the encoder has; `NotOffered` for one or two.
    #[uniffi::constructor(default(epsilon = 8.0, dims = None))]
    pub fn new(encoder: Vec<u8>, epsilon: f64, dims: Option<u32>) -> Result<Self, TextVeilError> {
        panics::print_places_only();
        let encoder = encoder_of(encoder)?;
        let mechanism = Mechanism::new(MechanismKind::Privunit2).with(Parameter::Epsilon, epsilon)?;
        let representer = Representer::of_encoder(&encoder, dims.map(|dims| dims as usize), mechanism)?;
        let encoder_id = encoder.id().to_string();
        Ok(Self { representer, encoder_id, representations: Drawn::default(), source: Source::default() })
    }

    /// Represents a text by one noisy vector. A text that is both represented and exchanged has been released twice, and
    /// the losses add up.
    ///
    /// `field` is any name of what the text is for, such as that of the form's field, and stays here. Each field is
    /// drawn for itself, as equal vectors for two fields would show that their texts are equal.
    ///
    /// # Errors
    /// `TextTooLong`, `EntropyUnavailable`.
    #[uniffi::method(default(field = None))]
    pub fn representation(&self, text: &str, field: Option<String>) -> Result<Representation, TextVeilError> {
        panics::without_words(|| {
            let (text, field) = (normal(text)?, field.as_deref());
            Ok(self.representations.once(self.representer.key(&text, &Dropout::None, field)?, || {
                let mut rng = self.source.rng(of_field([text.as_bytes()], field))?;
                Ok::<_, textveil::Error>((&self.representer.represent(&text, &Dropout::None, &mut rng)?).into())
            })?)
        })
    }

    /// What holds for every vector, whatever the text.
    ///
    /// # Errors
    /// None for an object that was made.
    pub fn guarantee(&self) -> Result<Guarantee, TextVeilError> {
        Ok((&self.representer.guarantee(1, &Dropout::None)?).into())
    }

    /// The encoder's public identity: its SHA-256 in hexadecimal.
    pub fn encoder_id(&self) -> String {
        self.encoder_id.clone()
    }
}
