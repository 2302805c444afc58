use std::fmt::Write;

use super::*;

/// Users who write of a drink that no table knows, and one who writes of something else.
fn users(count: usize) -> String {
    let mut rows = "user,text,most\n".to_owned();
    let texts = [
        "A cup of zorpa with milk and sugar.",
        "I drink hot zorpa with my breakfast.",
        "More zorpa, less coffee and tea!",
    ];
    for user in 0..count {
        writeln!(rows, "{user:05},\"{}\",3", texts[user % 3]).expect("memory");
    }
    writeln!(rows, "zzz,\"My qwertula is a secret, with milk.\",1").expect("memory");
    rows
}

fn extended(more: &[&str], rows: &str, out: &str) -> Output {
    let (input, seed) = (File::of(rows.as_bytes(), "csv"), "5".repeat(64));
    textveil(&[&["table", "extend", input.path(), "--out", out, "--seed", &seed], more].concat(), b"")
}

#[test]
fn a_word_of_many_users_is_learned_and_one_of_a_single_user_is_not_named() {
    let folder = Folder::new();
    let [path, again] = ["found.tvt", "again.tvt"].map(|name| folder.path(name));
    let output = extended(&["--find", "5", "--epsilon-column", "most"], &users(2500), &path);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{err}");
    assert!(out.contains("1 words learned") && out.contains("zorpa") && !out.contains("qwertula"), "{out}");
    assert!(out.contains("nothing is promised: the noise follows from a seed"), "{out}");
    assert!(!out.contains("differential privacy"), "{out}");
    assert!(["tea", "coffee", "milk", "drink", "sugar"].iter().any(|word| out.contains(word)), "{out}");
    let shown = textveil(&["table", "inspect", &path], b"");
    let shown = text(&shown.stdout).to_owned();
    assert!(shown.contains("learned_epsilon: 3") && shown.contains("each user with all texts"), "{shown}");
    assert!(shown.contains("the noise follows from a seed"), "{shown}");
    assert!(extended(&["--find", "5", "--epsilon-column", "most"], &users(2500), &again).status.success());
    assert_eq!(
        std::fs::read(&again).expect("a file"),
        std::fs::read(&path).expect("a file"),
        "a seed fixes every draw"
    );
    // It privatizes like any other table, and knows the word.
    let released = textveil(&["privatize", "--table", &path, "--seed", &"7".repeat(64)], b"I like zorpa.\n");
    assert!(released.status.success(), "{}", text(&released.stderr));
}

#[test]
fn what_cannot_be_learned_from_is_refused_by_row_and_without_a_text() {
    let (new, known, folder) = (File::of(b"zorpa\n", "txt"), File::of(b"milk\n", "txt"), Folder::new());
    let refused = |more: &[&str], rows: &str| {
        let output = extended(more, rows, &folder.path("refused.tvt"));
        assert!(!output.status.success());
        let message = text(&output.stderr).to_owned();
        assert!(!message.contains("secret") && !message.contains("cup of"), "{message}");
        message
    };
    let public = ["--words", new.path()];
    assert!(refused(&public, "user,text\nb,a secret zorpa\na,x\n").contains("row 3: users are not in ascending"));
    let own = ["--words", new.path(), "--epsilon-column", "most"];
    assert!(refused(&own, "user,text,most\na,a secret zorpa,0\n").contains("row 2: the user's epsilon"));
    assert!(
        refused(&own, "user,text,most\na,a secret zorpa,8\n")
            .contains("row 2: an epsilon is not above 0 and at most 3")
    );
    assert!(refused(&public, "user,words\na,a secret zorpa\n").contains("no column \"text\""));
    assert!(refused(&public, "user,text\na,a secret zorpa with milk\n").contains("noise drowns all words"));
    assert!(refused(&["--find", "5"], "user,text\na,a secret zorpa\n").contains("too few users share any new word"));
    let none = File::of(b"# none\n\n", "txt");
    assert!(refused(&["--words", none.path()], "user,text\na,a secret\n").contains(".txt has no word"));
    assert!(
        refused(&["--words", known.path()], "user,text\na,a secret\n").contains("the table has all of these words")
    );
}

#[test]
fn devices_are_asked_and_their_sum_makes_a_table() {
    let (words, folder) = (File::of(b"zorpa\nmilk\n", "txt"), Folder::new());
    let [request, sum, out] = ["request.json", "sum.json", "asked.tvt"].map(|name| folder.path(name));
    let asked = textveil(&["table", "request", "--words", words.path(), "--devices", "1000", "--out", &request], b"");
    assert!(asked.status.success(), "{}", text(&asked.stderr));
    let said = text(&asked.stdout).to_owned();
    assert!(said.contains("1 words, 64 numbers") && said.contains("at least 1000 honest devices"), "{said}");
    let extend = |numbers: &str| {
        std::fs::write(&sum, numbers).expect("a file");
        textveil(&["table", "extend", "--sum", &sum, "--request", &request, "--answered", "1000", "--out", &out], b"")
    };
    assert!(text(&extend("[1, 2]").stderr).contains("the sum has 2 numbers, the request asks for 64"));
    assert!(text(&extend("[1, 2").stderr).contains("no list of integers"));
    let too_few = ["table", "extend", "--sum", &sum, "--request", &request, "--answered", "999", "--out", &out];
    for arguments in [&too_few[..], &[&too_few[..6], &too_few[8..]].concat()] {
        let refused = textveil(arguments, b"");
        assert!(text(&refused.stderr).contains("the noise of at least 1000 devices"), "{}", text(&refused.stderr));
    }
    let numbers: Vec<String> = (0..64).map(|x| (x * 10_000).to_string()).collect();
    let made = extend(&format!("[{}]", numbers.join(",")));
    assert!(made.status.success(), "{}", text(&made.stderr));
    let said = text(&made.stdout);
    assert!(said.contains("1 words learned") && said.contains("differential privacy for each user"), "{said}");

    // Each device that answers adds noise: the same numbers from many more are nothing but that.
    let drowned = folder.path("drowned.tvt");
    let many = ["--sum", &sum, "--request", &request, "--answered", "4294967295", "--out", &drowned];
    let refused = textveil(&[&["table", "extend"], &many[..]].concat(), b"");
    assert!(text(&refused.stderr).contains("noise drowns all words"), "{}", text(&refused.stderr));

    // The users may be those of the words that were learned before.
    let [again, twice] = ["again.json", "twice.tvt"].map(|name| folder.path(name));
    let more = File::of(b"qwertula\n", "txt");
    let asked = ["table", "request", "--words", more.path(), "--devices", "1000", "--out", &again];
    assert!(textveil(&asked, b"").status.success());
    let asked = ["--sum", &sum, "--request", &again, "--answered", "1000", "--table", &out, "--out", &twice];
    let made = textveil(&[&["table", "extend"], &asked[..]].concat(), b"");
    assert!(made.status.success(), "{}", text(&made.stderr));
    let said = text(&made.stdout);
    assert!(said.contains("(6, 0.000002)-differential privacy for each user"), "{said}");
    assert!(said.contains("; before: each user"), "{said}");
}

#[test]
fn a_known_seed_stays_known() {
    let (new, rows, folder) = (File::of(b"zorpa\n", "txt"), users(2500), Folder::new());
    let [path, twice] = ["found.tvt", "twice.tvt"].map(|name| folder.path(name));
    assert!(extended(&["--words", new.path()], &rows, &path).status.success());
    let (input, more) = (File::of(rows.replace("zorpa", "snorf").as_bytes(), "csv"), File::of(b"snorf\n", "txt"));
    let again = ["table", "extend", input.path(), "--words", more.path(), "--table", &path, "--out", &twice];
    let output = textveil(&again, b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("nothing is promised: the noise follows from a seed"));
    let shown = textveil(&["table", "inspect", &twice], b"");
    assert!(text(&shown.stdout).contains("learned_epsilon: 6"), "{}", text(&shown.stdout));
}

/// Twenty times the users, each with a longer text, take no more memory.
#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_users() {
    let (new, folder) = (File::of(b"zorpa\n", "txt"), Folder::new());
    let [users, out] = ["piped.csv", "piped.tvt"].map(|name| folder.path(name));
    std::os::unix::fs::symlink("/dev/stdin", &users).expect("a link");
    let peak = |count: usize, words: usize| {
        let words = "a cup of hot zorpa ".repeat(words);
        peak_memory(&["table", "extend", &users, "--words", new.path(), "--out", &out, "--force"], |pipe| {
            writeln!(pipe, "user,text")?;
            (0..count).try_for_each(|user| writeln!(pipe, "{user:06},{words}"))
        }) >> 10
    };
    let few = peak(3_000, 5);
    let many = peak(60_000, 15);
    assert!(many < few + 8, "{few} MiB, then {many} MiB");
}
