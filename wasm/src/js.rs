//! The few things of JavaScript that this crate touches. (js-sys would bring all of it, and its futures into
//! the module.)

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    pub(crate) type Object;
    #[wasm_bindgen(constructor)]
    pub(crate) fn new() -> Object;
    #[wasm_bindgen(static_method_of = Object, js_name = getPrototypeOf)]
    pub(crate) fn prototype_of(object: &JsValue) -> JsValue;

    /// The names of an object's own properties, of any kind.
    #[wasm_bindgen(js_namespace = Reflect, js_name = ownKeys)]
    pub(crate) fn own_keys(object: &JsValue) -> Vec<JsValue>;
    #[wasm_bindgen(js_namespace = Reflect, catch)]
    pub(crate) fn get(object: &JsValue, name: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = Reflect)]
    pub(crate) fn set(object: &JsValue, name: &str, value: JsValue) -> bool;

    pub(crate) type Array;
    #[wasm_bindgen(constructor)]
    pub(crate) fn new() -> Array;
    #[wasm_bindgen(method)]
    pub(crate) fn push(this: &Array, item: JsValue) -> u32;
    #[wasm_bindgen(static_method_of = Array, js_name = isArray)]
    pub(crate) fn is_array(value: &JsValue) -> bool;
    /// The items of a list.
    #[wasm_bindgen(static_method_of = Array, js_name = from)]
    pub(crate) fn items(list: &JsValue) -> Vec<JsValue>;

    /// A text in a Unicode normalization form.
    #[wasm_bindgen(js_namespace = ["String", "prototype", "normalize"], js_name = call)]
    pub(crate) fn normalized(text: &str, form: &str) -> String;

    /// Bytes, copied.
    pub(crate) type Uint8Array;
    #[wasm_bindgen(constructor)]
    pub(crate) fn new(bytes: &[u8]) -> Uint8Array;

    pub(crate) type Error;
    #[wasm_bindgen(constructor)]
    pub(crate) fn new(message: &str) -> Error;
}

/// An object of these properties.
pub(crate) fn record<const N: usize>(properties: [(&str, JsValue); N]) -> JsValue {
    let record = Object::new().into();
    for (name, value) in properties {
        // Setting a property of a fresh object cannot fail.
        set(&record, name, value);
    }
    record
}
