"""What an app finds in the AAR: aar_check.py FOLDER

FOLDER has an AAR and its POM, as aar.py wrote them. The classes must run on Android 7, every function that they call must be in each
library, and the libraries must stand on pages of 16 kB. Fails at the first fault.
"""

import re
import sys
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

from aar import ABIS, ANDROID, HERE, MAVEN
from elftools.elf.elffile import ELFFile

# Android's page, on which 64-bit libraries must stand.
PAGE = 16 << 10
# Java 11, as a class file names it: what Android's own compiler reads for API 24.
NEWEST_CLASS = 55
ATTRIBUTE = "{http://schemas.android.com/apk/res/android}"
SYSTEM = {"libc.so", "libdl.so", "libm.so"}
CALLED = re.compile(rb"(?:uniffi|ffi)_textveil_mobile_\w+")
SEEDED = re.compile(rb"seeded", re.IGNORECASE)
NOTICES = ("LICENSE-APACHE", "LICENSE-MIT", "NOTICE-THIRD-PARTY.md", "NOTICE.md")


def check_manifest(text: bytes) -> None:
    manifest = ElementTree.fromstring(text)
    # The resource compiler takes no name of one part.
    assert "." in manifest.attrib["package"], "the namespace has one part"
    assert manifest.find("uses-sdk").attrib == {f"{ATTRIBUTE}minSdkVersion": "24"}


def check_classes(jar: bytes) -> set[bytes]:
    """The functions of the library that the classes name."""
    called = set()
    with ZipFile(BytesIO(jar)) as archive:
        names = archive.namelist()
        for name in names:
            content = archive.read(name)
            if name.endswith(".class"):
                assert int.from_bytes(content[6:8]) <= NEWEST_CLASS, f"{name} is for a newer Java"
                assert name.startswith("textveil/"), f"{name} is not ours"
                called.update(CALLED.findall(content))
                assert not SEEDED.search(content), f"{name} takes seeds"
    expected = {"textveil/TextVeil.class", "textveil/Statements.class", *(f"META-INF/textveil/{name}" for name in NOTICES)}
    assert expected <= {*names}, f"classes.jar lacks {expected - {*names}}"
    assert not [name for name in names if name.endswith((".so", ".dll", ".dylib"))], "classes.jar has a library"
    assert len(called) > 100, f"the classes call {len(called)} functions"
    return called


def check_library(abi: str, content: bytes, called: set[bytes]) -> None:
    library = ELFFile(BytesIO(content))
    assert ABIS[library.get_machine_arch()] == abi, f"{abi} has another machine's library"
    loaded = [segment["p_align"] for segment in library.iter_segments("PT_LOAD")]
    assert loaded, f"{abi}: nothing is loaded"
    assert library.elfclass == 32 or all(align % PAGE == 0 for align in loaded), f"{abi}: segments are aligned to {loaded}"
    symbols = [*library.get_section_by_name(".dynsym").iter_symbols()]
    offered = {symbol.name.encode() for symbol in symbols if symbol["st_shndx"] != "SHN_UNDEF"}
    assert called <= offered, f"{abi} lacks {called - offered}"
    assert not any(SEEDED.search(name) for name in offered), f"{abi} takes seeds"
    needed = {tag.needed for tag in library.get_section_by_name(".dynamic").iter_tags("DT_NEEDED")}
    assert needed <= SYSTEM, f"{abi} needs {needed - SYSTEM}, which apps do not have"
    # What was linked with the NDK has its C library; `cargo xtask test` links without, and leaves it and the unwinder open.
    if needed:
        unwinder = [symbol.name for symbol in symbols if symbol["st_shndx"] == "SHN_UNDEF" and symbol.name.startswith("_Unwind")]
        assert not unwinder, f"{abi} lacks the unwinder"


def check_pom(text: str) -> None:
    project = ElementTree.fromstring(text)
    of = {name: project.findtext(MAVEN + name) for name in ("groupId", "artifactId", "packaging", "name", "description", "url")}
    assert all(of.values()) and of["packaging"] == "aar" and of["artifactId"] == ANDROID, f"the POM says {of}"
    assert of["description"].endswith(" For Android 7 and later."), f"the POM says {of}"
    for name in ("licenses", "developers", "scm"):
        assert project.find(MAVEN + name) is not None, f"the POM has no {name}"
    named = {place for comments in project.iter(f"{MAVEN}comments") for place in re.findall(r"META-INF/\S+\.md", comments.text)}
    assert named == {f"META-INF/textveil/{name}" for name in NOTICES if name.endswith(".md")}, f"the POM names {named}"
    dependencies = {
        dependency.findtext(f"{MAVEN}artifactId"): dependency.findtext(f"{MAVEN}type", "jar")
        for dependency in project.iter(f"{MAVEN}dependency")
    }
    assert dependencies == {"kotlin-stdlib": "jar", "jna": "aar", "kotlinx-coroutines-core-jvm": "jar"}, dependencies


def check_sources(jar: Path) -> None:
    with ZipFile(jar) as archive:
        names = {name for name in archive.namelist() if not name.startswith("META-INF/") and not name.endswith("/")}
    assert {"textveil/TextVeil.kt", "textveil/textveil_mobile.kt"} <= names, f"the sources are {names}"
    assert all(name.endswith(".kt") for name in names), f"not only sources: {names}"


def main(folder: Path) -> None:
    [aar], [pom], [sources] = folder.rglob("*.aar"), folder.rglob("*.pom"), folder.rglob("*-sources.jar")
    check_pom(pom.read_text())
    check_sources(sources)
    with ZipFile(aar) as archive:
        assert archive.testzip() is None
        inside = {name: archive.read(name) for name in archive.namelist()}
    check_manifest(inside.pop("AndroidManifest.xml"))
    assert inside.pop("R.txt") == b"", "there are no resources to name"
    assert inside.pop("proguard.txt") == (HERE / "consumer-rules.pro").read_bytes(), "the rules of shrinkers differ"
    called = check_classes(inside.pop("classes.jar"))
    for abi in ABIS.values():
        check_library(abi, inside.pop(f"jni/{abi}/libtextveil_mobile.so"), called)
    assert [*inside] == ["META-INF/com/android/build/gradle/aar-metadata.properties"], f"also there: {[*inside]}"
    print(f"{aar.name}: {len(ABIS)} libraries, each with the {len(called)} functions that the classes call")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
