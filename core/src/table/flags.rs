//! The flags of a row: its byte in `FLAG`.

/// A set of the marks of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// The row is never offered as output.
    pub const NEVER_OFFERED: Self = Self(1);
    /// It is on the table's public list of function words.
    pub const FUNCTION_WORD: Self = Self(1 << 1);
    /// It is written with a capital: a name, a place, a month, a nation.
    pub const NAME: Self = Self(1 << 2);
    /// It is the plural of a noun.
    pub const PLURAL: Self = Self(1 << 3);
    /// It is the third person singular of a verb.
    pub const THIRD_PERSON: Self = Self(1 << 4);
    /// It is the past tense of a verb.
    pub const PAST: Self = Self(1 << 5);
    /// It is the past participle of a verb.
    pub const PARTICIPLE: Self = Self(1 << 6);
    /// It is the -ing form of a verb.
    pub const ING: Self = Self(1 << 7);

    /// What a byte of `FLAG` says.
    pub(super) const fn of(byte: u8) -> Self {
        Self(byte)
    }

    /// The flags that are in either set.
    #[must_use]
    pub const fn union(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// These flags without those of another set.
    #[must_use]
    pub const fn difference(self, less: Self) -> Self {
        Self(self.0 & !less.0)
    }

    /// Whether it says any of these things.
    #[must_use]
    pub const fn intersects(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }
}
