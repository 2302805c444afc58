//! Topics: words or statements whose joint share is asked for.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use textveil::StatementList;
use textveil_toolkit::columns::nearest;

/// Names of topics, each with its words or statements.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Topics(Vec<(String, Vec<String>)>);

impl Topics {
    /// Reads the topics of a file.
    ///
    /// # Errors
    /// It cannot be read, or a line is no topic and entry.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let text = textveil_toolkit::files::text_of(path)?;
        let mut topics = Self::default();
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
            let (topic, entry) = line
                .split_once('\t')
                .with_context(|| format!("{name}, line {number}: it has no tab between the topic and the entry"))?;
            topics.push(topic, [entry]).with_context(|| format!("{name}, line {number}"))?;
        }
        ensure!(!topics.is_empty(), "{name} has no topic");
        Ok(topics)
    }

    /// Adds "name=word,word".
    ///
    /// # Errors
    /// The topic is invalid.
    pub(super) fn add(&mut self, text: &str) -> Result<()> {
        let (topic, words) = text.split_once('=').context("--topic is NAME=WORD,WORD")?;
        self.push(topic, words.split(',')).context("--topic is NAME=WORD,WORD")
    }

    fn push<'a>(&mut self, topic: &str, entries: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let topic = topic.trim();
        ensure!(!topic.is_empty(), "the topic has no name");
        for entry in entries {
            let entry = entry.trim().to_owned();
            ensure!(!entry.is_empty(), "the topic has an empty entry");
            match self.0.iter_mut().find(|(name, _)| name == topic) {
                Some((_, entries)) => entries.push(entry),
                None => self.0.push((topic.to_owned(), vec![entry])),
            }
        }
        Ok(())
    }

    /// Refuses an entry that is a slip of a statement of the list, and names that one.
    ///
    /// # Errors
    /// An entry is no statement of the list, and nearly one.
    pub(super) fn check(&self, list: &StatementList) -> Result<()> {
        for (topic, entries) in &self.0 {
            for entry in entries.iter().filter(|entry| !list.iter().any(|statement| statement == entry.as_str())) {
                let near = nearest(entry, list.iter());
                ensure!(
                    near.is_none(),
                    "the topic \"{topic}\" names \"{entry}\", which is not in the list. Did you mean \"{}\"?",
                    near.unwrap_or_default()
                );
            }
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn as_slice(&self) -> &[(String, Vec<String>)] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statement_that_was_meant_is_named() {
        let list =
            StatementList::parse(&include_bytes!("../../../statements/product-feedback.tvs")[..]).expect("a list");
        let named = |entry: &str| {
            let mut topics = Topics::default();
            topics.push("price", [entry]).expect("a topic");
            topics.check(&list).map_err(|error| error.to_string())
        };
        assert_eq!(named("It is too expensive."), Ok(()));
        for slip in ["It is too expensive", "it is to expensive."] {
            let told = named(slip).expect_err("it is not in the list");
            assert!(told.contains(slip) && told.ends_with("Did you mean \"It is too expensive.\"?"), "{told}");
        }
        assert_eq!(named("secretword"), Ok(()), "it is refused elsewhere");
    }

    #[test]
    fn entries_of_a_topic_come_together_and_what_is_no_topic_is_refused() {
        let mut topics = Topics::default();
        topics.add("delivery=parcel, courier").expect("a topic");
        topics.add("price=cost").expect("a topic");
        topics.add("delivery=late").expect("a topic");
        let delivery = ["parcel", "courier", "late"].map(str::to_owned);
        assert_eq!(
            topics.as_slice(),
            [("delivery".to_owned(), delivery.to_vec()), ("price".to_owned(), vec!["cost".to_owned()])]
        );
        for text in ["delivery", "=parcel", "delivery=", "delivery=a,,b"] {
            assert!(Topics::default().add(text).is_err(), "{text}");
        }
    }
}
