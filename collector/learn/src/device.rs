//! Where encoders are computed. Classifiers of features stay on the processor, where they are small.

use burn::tensor::Device;

/// The processor, on one thread.
#[cfg(not(feature = "libtorch"))]
pub(crate) fn of_encoders() -> Device {
    Device::flex()
}

/// Whether it is a graphics card: none is, without libtorch.
#[cfg(not(feature = "libtorch"))]
pub(crate) fn is_card(_: &Device) -> bool {
    false
}

/// The first graphics card of NVIDIA. The processor if `CUDA_VISIBLE_DEVICES` is set and empty, as CUDA has it.
#[cfg(feature = "libtorch")]
#[expect(deprecated, reason = "burn's own backend for CUDA cannot be built everywhere (record 65)")]
pub(crate) fn of_encoders() -> Device {
    let has_cards = std::env::var("CUDA_VISIBLE_DEVICES").map_or(true, |cards| !cards.is_empty());
    if has_cards { Device::libtorch_cuda(0) } else { Device::libtorch() }
}

/// Whether it is a graphics card.
#[cfg(feature = "libtorch")]
#[expect(deprecated, reason = "as above")]
pub(crate) fn is_card(device: &Device) -> bool {
    *device == Device::libtorch_cuda(0)
}
