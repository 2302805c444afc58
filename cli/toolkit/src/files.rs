//! Files that commands read and write, and digests of what is in them.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, anyhow, ensure};
use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};
use textveil::Hex;

/// What is read: a file, or standard input.
pub type Input = Box<dyn Read>;

/// Opens a file, or standard input for "-". Returns its name for messages and, of a file, its size.
///
/// # Errors
/// What cannot be read, with its name.
pub fn input(path: &Path) -> Result<(String, Option<u64>, Input)> {
    if path == Path::new("-") {
        let name = "standard input".to_owned();
        return Ok((name.clone(), None, text(Box::new(io::stdin().lock()), &name)?));
    }
    let file = open(path)?;
    let size = Some(file.metadata()?).filter(|metadata| metadata.is_file()).map(|metadata| metadata.len());
    let name = path.display().to_string();
    Ok((name.clone(), size, text(Box::new(file), &name)?))
}

/// The same for a command that reads texts. It tells a person who gives a text instead of a file how texts come, and a
/// person at a terminal that it waits for them.
///
/// # Errors
/// As [`input`].
pub fn texts(path: &Path, command: &str) -> Result<(String, Option<u64>, Input)> {
    if path == Path::new("-") && io::stdin().is_terminal() {
        eprintln!("{command} reads from this terminal. Press Ctrl-D to end the input (on Windows, Ctrl-Z and Enter)");
    }
    input(path).map_err(|error| match error.downcast_ref::<io::Error>().map(io::Error::kind) {
        Some(ErrorKind::NotFound | ErrorKind::InvalidFilename) => {
            anyhow!("{error:#}. Texts come from a file or from standard input: echo TEXT | {command}")
        }
        _ => error,
    })
}

/// What is no text in UTF-8, by how it begins.
const OTHERS: [(&[u8], &str); 4] = [
    (&[0xff, 0xfe], "it is in UTF-16. Convert it to UTF-8, as \"iconv -f UTF-16 -t UTF-8\" does"),
    (&[0xfe, 0xff], "it is in UTF-16. Convert it to UTF-8, as \"iconv -f UTF-16 -t UTF-8\" does"),
    (&[0x1f, 0x8b], "it is compressed. Unpack it, as \"gunzip\" does"),
    (b"PK\x03\x04", "it is a workbook or another archive. Save its table as CSV in UTF-8"),
];

/// How many bytes at the beginning of an input are looked at.
const BEGINNING: u64 = 512;

/// What has a NUL byte at its beginning: UTF-16 without a mark, or no text at all.
const WITH_NUL: &str = "it is not a text file, because it has NUL bytes. If it is in UTF-16, convert it to UTF-8, as \
                        \"iconv -f UTF-16LE -t UTF-8\" does";

/// An input from its beginning, unless it begins as no text does.
fn text(mut input: Input, name: &str) -> Result<Input> {
    let mut first = Vec::new();
    input.by_ref().take(BEGINNING).read_to_end(&mut first).with_context(|| format!("cannot read {name}"))?;
    let other = OTHERS.iter().find(|(start, _)| first.starts_with(start)).map(|(_, reason)| *reason);
    let other = other.or_else(|| first.contains(&0).then_some(WITH_NUL));
    ensure!(other.is_none(), "cannot read {name}: {}", other.unwrap_or_default());
    // At a terminal, the end was then typed already.
    let is_whole = (first.len() as u64) < BEGINNING;
    let first = io::Cursor::new(first);
    Ok(if is_whole { Box::new(first) } else { Box::new(first.chain(input)) })
}

/// A file from a byte on.
///
/// # Errors
/// As [`input`].
pub fn rest(path: &Path, start: u64) -> Result<Input> {
    let mut file = open(path)?;
    file.seek(SeekFrom::Start(start))?;
    Ok(Box::new(file))
}

/// Opens a file.
///
/// # Errors
/// As [`input`].
pub fn open(path: &Path) -> Result<File> {
    File::open(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The text of a file. A byte order mark at its start is not part of it.
///
/// # Errors
/// What cannot be read, or is no UTF-8.
pub fn text_of(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Opens a file and unpacks it if it begins as gzip does.
///
/// # Errors
/// What cannot be read.
pub fn reader(path: &Path) -> Result<Box<dyn BufRead>> {
    let mut reader = BufReader::new(File::open(path)?);
    let zipped = reader.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(if zipped { Box::new(BufReader::new(MultiGzDecoder::new(reader))) } else { Box::new(reader) })
}

/// Refuses a path whose folder is missing. Commands call it before long work, not after it.
///
/// # Errors
/// The folder does not exist, or `path` is itself one.
pub fn check_place(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    ensure!(folder.is_dir(), "cannot write {}: there is no folder {}", path.display(), folder.display());
    ensure!(!path.is_dir(), "cannot write {}: it is a folder", path.display());
    Ok(())
}

/// Refuses an output that is one of the inputs, or whose folder is missing. "-" among the inputs is standard input.
///
/// # Errors
/// As [`check_place`], and the output is a file that is read: what is written would take its place.
pub fn check_output(output: &Path, inputs: &[&Path]) -> Result<()> {
    check_place(output)?;
    let own = identity(output);
    let same = inputs.iter().position(|input| own.is_some() && identity(input) == own);
    let role = if same == Some(0) { "the input" } else { "read, too" };
    ensure!(same.is_none(), "{} is {role}: what is written would take its place", output.display());
    Ok(())
}

/// Refuses a standard output that goes to a file that is read: what is written would be read again.
///
/// # Errors
/// It goes to one of `inputs`.
pub fn check_standard_output(inputs: &[&Path]) -> Result<()> {
    let own = standard_output();
    let same = inputs.iter().find(|input| own.is_some() && identity(input) == own);
    ensure!(same.is_none(), "standard output goes to {}, which is read", same.unwrap_or(&Path::new("")).display());
    Ok(())
}

/// Whether two paths lead to one place, with a file or without.
pub fn is_same_place(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some((folder.canonicalize().ok()?, path.file_name()?.to_owned()))
    };
    let known = |path: &Path| identity(path).is_some();
    one == other || place(one).is_some() && place(one) == place(other) || known(one) && identity(one) == identity(other)
}

#[cfg(unix)]
fn standard_output() -> Option<(u64, u64)> {
    use std::os::fd::AsFd;

    of_file(File::from(io::stdout().as_fd().try_clone_to_owned().ok()?).metadata())
}

/// What is the same of two paths of one file, whatever its names. What is no file can be read and written at once.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::fd::AsFd;

    of_file(if path == Path::new("-") {
        File::from(io::stdin().as_fd().try_clone_to_owned().ok()?).metadata()
    } else {
        fs::metadata(path)
    })
}

#[cfg(unix)]
fn of_file(metadata: io::Result<fs::Metadata>) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    metadata.ok().filter(fs::Metadata::is_file).map(|metadata| (metadata.dev(), metadata.ino()))
}

/// There, it is not known which file it goes to.
#[cfg(not(unix))]
fn standard_output() -> Option<std::path::PathBuf> {
    None
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<std::path::PathBuf> {
    path.canonicalize().ok().filter(|path| path.is_file())
}

/// Writes a file as a whole: if the machine stops meanwhile, the file has its old content or the new one. What is no file, such
/// as a device, is written to as it is.
///
/// # Errors
/// What cannot be written, with its name.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let is_other = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let write = || -> io::Result<()> {
        if is_other {
            return fs::write(path, content);
        }
        let (mut file, fresh) = fresh_file(path)?;
        let written = file.write_all(content).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&fresh, path));
        written.inspect_err(|_| drop(fs::remove_file(&fresh)))
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// A file next to another, under a name that nothing has yet.
fn fresh_file(path: &Path) -> io::Result<(File, OsString)> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    loop {
        let mut fresh = path.to_owned().into_os_string();
        fresh.push(format!(".{}-{}.new", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed)));
        match File::create_new(&fresh) {
            // An earlier process of this number was killed.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            file => return Ok((file?, fresh)),
        }
    }
}

/// SHA-256 of a JSON value.
pub fn digest(value: &serde_json::Value) -> String {
    hexadecimal(&Sha256::digest(value.to_string()))
}

/// SHA-256 of a file.
///
/// # Errors
/// What cannot be read, with its name.
pub fn digest_of(path: &Path) -> Result<String> {
    let (mut hash, mut input) = (Sha256::new(), BufReader::new(open(path)?));
    loop {
        let bytes = input.fill_buf().with_context(|| format!("cannot read {}", path.display()))?;
        let read = bytes.len();
        if read == 0 {
            return Ok(hexadecimal(&hash.finalize()));
        }
        hash.update(bytes);
        input.consume(read);
    }
}

/// "0f10…".
pub fn hexadecimal(bytes: &[u8]) -> String {
    Hex(bytes).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_needs_a_folder_to_lie_in() {
        let folder = std::env::temp_dir();
        assert!(check_place(&folder.join("new.tvt")).is_ok() && check_place(Path::new("new.tvt")).is_ok());
        assert!(check_place(&folder).is_err() && check_place(&folder.join("no such folder/new.tvt")).is_err());
    }

    #[test]
    fn a_file_is_replaced_and_none_next_to_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let [list, other] = ["list", "list.new"].map(|name| folder.path().join(name));
        fs::write(&other, "precious").expect("written");
        for content in ["one", "two"] {
            replace(&list, content.as_bytes()).expect("replaced");
            assert_eq!(fs::read_to_string(&list).expect("it is there"), content);
        }
        assert_eq!(fs::read_to_string(&other).expect("it is there"), "precious");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn a_place_is_the_same_under_another_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, dotted, other] = ["one", "./one", "other"].map(|name| folder.path().join(name));
        assert!(is_same_place(&one, &dotted) && !is_same_place(&one, &other));
        fs::write(&one, "a text").expect("written");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&one, &other).expect("a link");
        assert!(is_same_place(&one, &dotted) && cfg!(unix) == is_same_place(&one, &other));
        assert!(is_same_place(Path::new("new.txt"), Path::new("./new.txt")));
    }

    #[test]
    fn an_output_is_none_of_the_inputs() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, other, fresh] = ["one", "other", "fresh"].map(|name| folder.path().join(name));
        for path in [&one, &other] {
            fs::write(path, "a text").expect("written");
        }
        assert!(check_output(&one, &[&other]).is_ok() && check_output(&fresh, &[&fresh]).is_ok());
        assert!(check_output(&folder.path().join("none/new"), &[&one]).is_err());
        let told = |output: &Path, inputs: &[&Path]| check_output(output, inputs).expect_err("an input").to_string();
        assert!(told(&one, &[&one]).contains("one is the input: "));
        assert!(told(&other, &[&one, &other]).contains("other is read, too: "));
        assert!(told(&folder.path().join("./one"), &[&one]).contains("is the input"));
        #[cfg(unix)]
        {
            let [link, twin] = ["link", "twin"].map(|name| folder.path().join(name));
            std::os::unix::fs::symlink(&one, &link).expect("a link");
            fs::hard_link(&one, &twin).expect("another name");
            assert!(check_output(&link, &[&one]).is_err() && check_output(&twin, &[&one]).is_err());
            let null = Path::new("/dev/null");
            assert!(check_output(null, &[null]).is_ok());
        }
    }

    #[test]
    fn what_is_no_text_is_named() {
        let told = |bytes: &'static [u8]| text(Box::new(bytes), "a.csv").map(|_| ()).map_err(|error| error.to_string());
        assert!(told(b"\xff\xfei\0d\0").expect_err("UTF-16").contains("a.csv: it is in UTF-16"));
        assert!(told(b"\xfe\xff\0i\0d").is_err() && told(b"\x1f\x8b\x08").is_err());
        assert!(told(b"PK\x03\x04\x14").expect_err("a workbook").contains("Save its table as CSV"));
        for bytes in [&b"i\0d\0\n\0"[..], b"\0i\0d\0\n", b"\x7fELF\x02\0"] {
            assert!(told(bytes).expect_err("NUL bytes").contains("a.csv: it is not a text file"));
        }
        for bytes in [&b""[..], b"P", b"PK", b"id,text", &[b'a'; 511], &[b'a'; 512], &[b'a'; 5000]] {
            let mut read = Vec::new();
            text(Box::new(bytes), "a.csv").expect("a text").read_to_end(&mut read).expect("memory");
            assert_eq!(read, bytes);
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_written_takes_the_place_of_a_file_and_not_of_a_device() {
        use std::os::unix::fs::{FileTypeExt, symlink};

        let folder = tempfile::tempdir().expect("a folder");
        let [file, link] = ["file", "null"].map(|name| folder.path().join(name));
        for content in ["one", "another"] {
            replace(&file, content.as_bytes()).expect("written");
            assert_eq!(fs::read_to_string(&file).expect("a file"), content);
        }
        symlink("/dev/null", &link).expect("a link");
        replace(&link, b"nothing").expect("written");
        assert!(fs::metadata(&link).expect("a device").file_type().is_char_device());
    }
}
