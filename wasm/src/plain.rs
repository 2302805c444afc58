//! What serde describes, as plain JavaScript: structs and maps as objects, sequences as arrays, what is absent
//! as `null`.
//!
//! Only what results are made of: strings, numbers, flags, names of variants. (The crate for everything else
//! keeps a table of names, and needs all of js-sys.)

use core::fmt;

use serde::ser::{Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use wasm_bindgen::JsValue;

use crate::js::{Array, Object, set};

/// The value, or `null` for a shape that results do not have.
pub(crate) fn plain(shape: &(impl Serialize + ?Sized)) -> JsValue {
    shape.serialize(Plain).unwrap_or(JsValue::NULL)
}

struct Plain;

/// A shape that no result has.
#[derive(Debug)]
pub(crate) struct Unexpected;

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a shape that no result has")
    }
}

impl core::error::Error for Unexpected {}

impl serde::ser::Error for Unexpected {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

type Done = Result<JsValue, Unexpected>;

/// The methods for what becomes a number.
macro_rules! numbers {
    ($($method:ident: $number:ty,)*) => {
        $(fn $method(self, number: $number) -> Done {
            Ok(JsValue::from_f64(f64::from(number)))
        })*
    };
}

/// The methods for shapes that no result has.
macro_rules! unexpected {
    ($($method:ident($($argument:ty),*) -> $done:ty,)*) => {
        $(fn $method(self, $(_: $argument),*) -> Result<$done, Unexpected> {
            Err(Unexpected)
        })*
    };
}

impl Serializer for Plain {
    type Ok = JsValue;
    type Error = Unexpected;
    type SerializeSeq = List;
    type SerializeMap = Map;
    type SerializeStruct = Record;
    type SerializeTuple = Impossible<JsValue, Unexpected>;
    type SerializeTupleStruct = Impossible<JsValue, Unexpected>;
    type SerializeTupleVariant = Impossible<JsValue, Unexpected>;
    type SerializeStructVariant = Impossible<JsValue, Unexpected>;

    numbers! {
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_f32: f32,
        serialize_f64: f64,
    }

    unexpected! {
        serialize_i64(i64) -> JsValue,
        serialize_u64(u64) -> JsValue,
        serialize_char(char) -> JsValue,
        serialize_bytes(&[u8]) -> JsValue,
        serialize_unit() -> JsValue,
        serialize_unit_struct(&'static str) -> JsValue,
        serialize_tuple(usize) -> Self::SerializeTuple,
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct,
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant,
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant,
    }

    fn serialize_bool(self, flag: bool) -> Done {
        Ok(JsValue::from_bool(flag))
    }

    fn serialize_str(self, text: &str) -> Done {
        Ok(JsValue::from_str(text))
    }

    fn serialize_none(self) -> Done {
        Ok(JsValue::NULL)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Done {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Done {
        Err(Unexpected)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List, Unexpected> {
        Ok(List(Array::new()))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Map, Unexpected> {
        Ok(Map { record: Object::new().into(), name: JsValue::UNDEFINED })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Record, Unexpected> {
        Ok(Record(Object::new().into()))
    }
}

/// An array in the making.
pub(crate) struct List(Array);

impl SerializeSeq for List {
    type Ok = JsValue;
    type Error = Unexpected;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Unexpected> {
        self.0.push(item.serialize(Plain)?);
        Ok(())
    }

    fn end(self) -> Done {
        Ok(self.0.into())
    }
}

/// An object in the making.
pub(crate) struct Record(JsValue);

impl SerializeStruct for Record {
    type Ok = JsValue;
    type Error = Unexpected;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Unexpected> {
        // Setting a property of a fresh object cannot fail.
        set(&self.0, name, value.serialize(Plain)?);
        Ok(())
    }

    fn end(self) -> Done {
        Ok(self.0)
    }
}

/// An object in the making whose names are data.
pub(crate) struct Map {
    record: JsValue,
    name: JsValue,
}

impl SerializeMap for Map {
    type Ok = JsValue;
    type Error = Unexpected;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<(), Unexpected> {
        self.name = name.serialize(Plain)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unexpected> {
        let name = self.name.as_string().ok_or(Unexpected)?;
        set(&self.record, &name, value.serialize(Plain)?);
        Ok(())
    }

    fn end(self) -> Done {
        Ok(self.record)
    }
}
