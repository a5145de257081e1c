//! Laws that texts cite, and their changes: `laws.toml` and `law-changes.toml` beside `site.toml`.

use citations::{Article, Cited, Law};
use contract::{PerLocale, text::Date};
use findings::Finding;

use super::{
    At, Values,
    fields::{LAW_CHANGES, LAWS, fields_of},
    reader::{FieldSource, read},
    text::Lines,
    toml,
};

/// A change of a law that the firm recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeOfLaw {
    /// The number of the law.
    pub law: At<String>,
    /// The articles that change; empty for the law as a whole.
    pub articles: Vec<Article>,
    /// The day from which the change is in force.
    pub in_force: Date,
    /// What changes.
    pub what: PerLocale<String>,
}

impl ChangeOfLaw {
    /// Whether a text with these citations may state what no longer holds.
    #[must_use]
    pub fn concerns(&self, cites: &[Cited]) -> bool {
        let is_changed = |cited: &Cited| match cited {
            Cited::Article(_, article) if !self.articles.is_empty() => {
                self.articles.iter().any(|changed| changed.overlaps(article))
            }
            _ => self.articles.is_empty(),
        };
        cites.iter().any(|cited| cited.law() == Some(&self.law.value) && is_changed(cited))
    }
}

/// Reads `laws.toml`. Leaves out laws with an unreadable field.
pub fn read_laws(text: &str, file: &str) -> (Vec<At<Law>>, Vec<Finding>) {
    read_groups(text, file, (LAWS, "law"), law)
}

/// Reads `law-changes.toml`. Leaves out changes with an unreadable field.
pub fn read_law_changes(text: &str, file: &str) -> (Vec<ChangeOfLaw>, Vec<Finding>) {
    let (changes, findings) = read_groups(text, file, (LAW_CHANGES, "change"), change);
    (changes.into_iter().map(|change| change.value).collect(), findings)
}

fn read_groups<T>(
    text: &str,
    file: &str,
    (fields, group): (&str, &str),
    parse: fn(&Values) -> Option<T>,
) -> (Vec<At<T>>, Vec<Finding>) {
    let (pairs, mut findings) = toml::parse(text, &Lines::of(text), file);
    let Some(pairs) = pairs else { return (Vec::new(), findings) };
    let (values, more) = read(FieldSource::toml(file), fields_of(fields), &pairs);
    findings.extend(more);
    let groups = values.groups(group).iter();
    (groups.filter_map(|it| Some(At::new(parse(&it.value)?, it.span))).collect(), findings)
}

fn law(values: &Values) -> Option<Law> {
    let PerLocale { en, tr } = values.each("name");
    let name = |name: Option<At<String>>| name.map(|name| name.value).into_iter().collect();
    let abbreviations: Option<At<Vec<At<String>>>> = values.list("abbreviations");
    Some(Law {
        number: values.get("number")?.value,
        en: name(en),
        tr: name(tr),
        abbreviations: abbreviations.into_iter().flat_map(|list| list.value).map(|it| it.value).collect(),
    })
}

fn change(values: &Values) -> Option<ChangeOfLaw> {
    // A change of unreadable articles is no change of the whole law.
    if values.has_failed("articles") {
        return None;
    }
    let articles = values.list("articles").map(|list| list.value.into_iter().map(|article| article.value).collect());
    Some(ChangeOfLaw {
        law: values.get("law")?,
        articles: articles.unwrap_or_default(),
        in_force: values.get("in_force")?.value,
        what: values.both("what")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(text: &str) -> (Vec<ChangeOfLaw>, Vec<Finding>) {
        let rest = "in_force = 2026-12-01\nwhat.en = \"New limit.\"\nwhat.tr = \"Yeni sınır.\"\n";
        read_law_changes(&format!("[[change]]\n{text}\n{rest}"), "law-changes.toml")
    }

    #[test]
    fn change_concerns_texts_that_cite_one_of_its_articles() {
        let concerns = |articles: &str, cites: &[&str]| {
            let cites: Vec<Cited> = cites.iter().map(|text| text.parse().unwrap()).collect();
            changes(&format!("law = \"6102\"\n{articles}")).0[0].concerns(&cites)
        };
        let of_553 = "articles = [\"553-555\", \"gecici-7\"]";
        assert!(concerns(of_553, &["6098/1", "6102/554"]) && concerns(of_553, &["6102/gecici-7"]));
        assert!(!concerns(of_553, &["6102", "6102/7", "6098/553"]));
        assert!(concerns("", &["6102"]) && !concerns("", &["6098"]));
        assert!(concerns("", &["6102/1"]));
    }

    #[test]
    fn unreadable_article_is_no_change_of_the_whole_law() {
        let (read, findings) = changes("law = \"6102\"\narticles = [\"553 vd\"]");
        assert_eq!((read.len(), findings.len()), (0, 1), "{findings:?}");
        assert_eq!(findings[0].place.span.line, 3);
        let (read, findings) = changes("law = 6102\narticles = [553]");
        assert_eq!((read.len(), findings.len()), (1, 0), "{findings:?}");
    }

    #[test]
    fn law_of_a_firm_has_its_names() {
        let text = "[[law]]\nnumber = 7223\nname.tr = \"Ürün Güvenliği Kanunu\"\nabbreviations = [\"ÜGK\"]\n";
        let (laws, findings) = read_laws(text, "laws.toml");
        assert!(findings.is_empty(), "{findings:?}");
        let law = &laws[0].value;
        assert_eq!(
            (law.number.as_str(), &law.tr[0][..], &law.abbreviations[0][..]),
            ("7223", "Ürün Güvenliği Kanunu", "ÜGK")
        );
    }
}
