//! The only place that will know uniffi: Swift, Kotlin and Python packages over `textveil`. Empty yet.
