"""Packs the library for Android: aar.py REPOSITORY OUT LIBRARY...

REPOSITORY is what `cargo xtask mobile --only kotlin` leaves in target/kotlin/repository. Its classes are Android's, too: they use
nothing but Kotlin's library and JNA. Each LIBRARY is a libtextveil_mobile.so, and its ELF header names its ABI. OUT becomes a Maven
repository with the AAR, its POM, its sources and its documentation. An AAR is a zip file: no Android SDK is needed.
"""

import shutil
import sys
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from elftools.elf.elffile import ELFFile

HERE = Path(__file__).parent
GROUP, NAME, ANDROID = "io/github/textveil", "textveil", "textveil-android"
ABIS = {"AArch64": "arm64-v8a", "ARM": "armeabi-v7a", "x64": "x86_64"}
# What a build with another SDK may ask of the app: nothing that an app with this manifest has not.
METADATA = "aarFormatVersion=1.0\naarMetadataVersion=1.0\nminCompileSdk=24\n"
MAVEN = "{http://maven.apache.org/POM/4.0.0}"


def packed(files: dict[str, bytes]) -> bytes:
    """A zip that is the same for the same files."""
    made = BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, ZIP_DEFLATED)
    return made.getvalue()


def classes(jar: Path) -> dict[str, bytes]:
    """Of the jar for the Java virtual machine: all but its library and Maven's files. Notices get a folder of their own, because an
    app may have other files of their names."""
    found = {}
    with ZipFile(jar) as archive:
        for name in sorted(archive.namelist()):
            folder, _, file = name.rpartition("/")
            if name.endswith((".class", ".kotlin_module")):
                found[name] = archive.read(name)
            elif folder == "META-INF" and file.startswith(("LICENSE", "NOTICE")):
                found[f"META-INF/{NAME}/{file}"] = archive.read(name)
    return found


def abi(library: Path) -> str:
    with library.open("rb") as file:
        return ABIS[ELFFile(file).get_machine_arch()]


def pom(jvm: Path) -> bytes:
    """The POM of the jar, for the AAR: its platform, its place of notices, and JNA as an AAR, too, because its jar has no library for
    Android."""
    ElementTree.register_namespace("", MAVEN[1:-1])
    project = ElementTree.fromstring(jvm.read_text())
    for name, value in (("artifactId", ANDROID), ("packaging", "aar")):
        element = project.find(MAVEN + name)
        if element is None:
            element = ElementTree.SubElement(project, MAVEN + name)
        element.text = value
    description = project.find(f"{MAVEN}description")
    description.text = description.text.partition(" For the Java virtual machine")[0] + " For Android 7 and later."
    for comments in project.iter(f"{MAVEN}comments"):
        comments.text = comments.text.replace("META-INF/", f"META-INF/{NAME}/")
    for name in ("build", "profiles"):
        project.remove(project.find(MAVEN + name))
    properties = project.find(f"{MAVEN}properties")
    for folder in [element for element in properties if element.tag.startswith(f"{MAVEN}textveil.")]:
        properties.remove(folder)
    dependencies = project.find(f"{MAVEN}dependencies")
    for dependency in list(dependencies):
        if dependency.findtext(f"{MAVEN}scope") == "test":
            dependencies.remove(dependency)
        elif dependency.findtext(f"{MAVEN}artifactId") == "jna":
            ElementTree.SubElement(dependency, f"{MAVEN}type").text = "aar"
    ElementTree.indent(project)
    return ElementTree.tostring(project, encoding="utf-8", xml_declaration=True)


def main(repository: Path, out: Path, libraries: list[Path]) -> None:
    [jvm] = (repository / GROUP / NAME).glob("*/*.pom")
    version = jvm.parent.name
    made = out / GROUP / ANDROID / version
    made.mkdir(parents=True, exist_ok=True)
    contents = {
        "AndroidManifest.xml": (HERE / "AndroidManifest.xml").read_bytes(),
        "classes.jar": packed(classes(jvm.with_suffix(".jar"))),
        # It would name resources.
        "R.txt": b"",
        "proguard.txt": (HERE / "consumer-rules.pro").read_bytes(),
        "META-INF/com/android/build/gradle/aar-metadata.properties": METADATA.encode(),
        **{f"jni/{abi(library)}/libtextveil_mobile.so": library.read_bytes() for library in libraries},
    }
    (made / f"{ANDROID}-{version}.aar").write_bytes(packed(contents))
    (made / f"{ANDROID}-{version}.pom").write_bytes(pom(jvm))
    for kind in ("sources", "javadoc"):
        shutil.copy(jvm.with_name(f"{NAME}-{version}-{kind}.jar"), made / f"{ANDROID}-{version}-{kind}.jar")
    print(made)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(library) for library in sys.argv[3:]])
