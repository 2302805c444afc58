// The Android library (AAR) of the sources in ../src/main, with the library in Rust for three ABIs. Needs the Android SDK, NDK 28 (whose
// libraries stand on 16 KB pages), rustup's targets and cargo-ndk:  gradle assembleRelease
plugins {
    id("com.android.library") version "8.13.0"
    id("org.jetbrains.kotlin.android") version "2.2.21"
    `maven-publish`
}

val checkout = rootDir.resolve("../../..")
val libraries = layout.buildDirectory.dir("libraries")
val bindings = layout.buildDirectory.dir("bindings")

android {
    namespace = "textveil"
    compileSdk = 36
    ndkVersion = "28.2.13676358"
    defaultConfig {
        minSdk = 24
        consumerProguardFiles("consumer-rules.pro")
    }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_11
        targetCompatibility = JavaVersion.VERSION_11
    }
    sourceSets["main"].apply {
        kotlin.srcDirs("../src/main/kotlin", bindings)
        jniLibs.srcDirs(libraries)
    }
    // Uncompressed and aligned, so that the system maps them as they lie in the package.
    packaging.jniLibs.useLegacyPackaging = false
    publishing.singleVariant("release") { withSourcesJar() }
}

kotlin.compilerOptions.jvmTarget = org.jetbrains.kotlin.gradle.dsl.JvmTarget.JVM_11

dependencies {
    // As an AAR it brings its own library for each ABI, on 16 KB pages from this version on.
    api("net.java.dev.jna:jna:5.17.0@aar")
    // Only for `privatizeInBackground`. Its callers add coroutines themselves.
    compileOnly("org.jetbrains.kotlinx:kotlinx-coroutines-core:1.10.2")
}

// No directory of this machine goes into what is published: panic messages name the source file that they come from. (The flags of
// .cargo/config.toml for the same target hold all the same.)
val downloads = File(System.getenv("CARGO_HOME") ?: "${System.getProperty("user.home")}/.cargo", "registry/src")
val withoutPaths = listOf("aarch64-linux-android", "armv7-linux-androideabi", "x86_64-linux-android").flatMap { target ->
    val flags = downloads.listFiles().orEmpty().map { "\"--remap-path-prefix=$it=\"" }
    listOf("--config", "target.$target.rustflags=$flags")
}

val buildLibraries by tasks.registering(Exec::class) {
    workingDir = checkout
    val abis = listOf("arm64-v8a", "armeabi-v7a", "x86_64").flatMap { listOf("--target", it) }
    commandLine(
        listOf("cargo", "ndk") + abis + listOf("--platform", "24", "--output-dir", libraries.get().asFile.path) +
            listOf("build", "--locked", "--package", "textveil-mobile", "--lib", "--profile", "mobile") + withoutPaths,
    )
}

val generateBindings by tasks.registering(Exec::class) {
    workingDir = checkout
    dependsOn(buildLibraries)
    val library = checkout.resolve("target/aarch64-linux-android/mobile/libtextveil_mobile.so")
    commandLine(
        "cargo", "run", "--locked", "--package", "textveil-bindgen", "--bin", "uniffi-bindgen", "--", "generate",
        "--no-format", "--language", "kotlin", "--out-dir", bindings.get().asFile.path, library.path,
    )
}

tasks.named("preBuild") { dependsOn(buildLibraries, generateBindings) }

publishing {
    publications {
        register<MavenPublication>("release") {
            groupId = "textveil"
            artifactId = "textveil-android"
            version = "0.1.0"
            afterEvaluate { from(components["release"]) }
        }
    }
}
