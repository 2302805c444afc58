//! Where encoders are computed. Classifiers of features stay on the processor, where they are small.

use burn::tensor::Device;

/// The processor, on one thread.
#[cfg(not(feature = "gpu"))]
pub(super) fn of_encoders() -> Device {
    Device::flex()
}

/// The graphics card that wgpu prefers; `CUBECL_WGPU_DEFAULT_DEVICE` names another.
#[cfg(feature = "gpu")]
pub(super) fn of_encoders() -> Device {
    Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)
}
