//! Laws that texts cite, and their changes: `laws.toml` and `law-changes.toml` beside `site.toml`.

use citations::{Article, Cited, Law, Laws};
use contract::{PerLocale, text::Date};
use findings::{Code, Finding, Place, messages};

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
    pub what: PerLocale<String>,
}

impl ChangeOfLaw {
    /// Whether a text with these citations may state what no longer holds.
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

/// Reads `laws.toml`. Leaves out laws with an unreadable field, second entries of a law, and abbreviations that would
/// take citations of other laws.
pub fn read_laws(text: &str, file: &str) -> (Vec<At<Law>>, Vec<Finding>) {
    let (rows, mut findings) = read_groups(text, file, (LAWS, "law"), law);
    let mut known = Laws::default();
    let mut laws: Vec<At<Law>> = Vec::new();
    for At { value: (number, mut law, abbreviations), span, .. } in rows {
        let finding = |span, text| Finding::new(Code::LAW_AMBIGUOUS, Place::new(file, span), text);
        if let Some(first) = laws.iter().find(|other| other.value.number == law.number) {
            let found = finding(number.span, messages::law_twice(&law.number));
            let found = found.related(Place::new(file, first.span), messages::other_law_entry());
            findings.push(found.help(messages::law_twice_help()));
            continue;
        }
        for At { value: text, span, .. } in abbreviations {
            let capitals = text.chars().filter(|letter| letter.is_uppercase()).count();
            if capitals < 2 || !text.chars().all(char::is_alphabetic) {
                let found = finding(span, messages::law_abbreviation_unfit(&text));
                findings.push(found.help(messages::law_abbreviation_unfit_help()));
            } else if let Some(other) = known.with_abbreviation(&text).filter(|other| *other != law.number) {
                let found = finding(span, messages::law_abbreviation_taken(&text, other));
                findings.push(found.help(messages::law_abbreviation_taken_help()));
            } else {
                law.abbreviations.push(text);
            }
        }
        known.add([law.clone()]);
        laws.push(At::new(law, span));
    }
    (laws, findings)
}

/// Reads `law-changes.toml`, the latest change first. Leaves out changes with an unreadable field.
pub fn read_law_changes(text: &str, file: &str) -> (Vec<ChangeOfLaw>, Vec<Finding>) {
    let (changes, findings) = read_groups(text, file, (LAW_CHANGES, "change"), change);
    let mut changes: Vec<ChangeOfLaw> = changes.into_iter().map(|change| change.value).collect();
    changes.sort_by(|one, other| other.in_force.cmp(&one.in_force));
    (changes, findings)
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

/// Returns a law without abbreviations, and these with their places.
fn law(values: &Values) -> Option<(At<String>, Law, Vec<At<String>>)> {
    let PerLocale { en, tr } = values.each("name");
    let name = |name: Option<At<String>>| name.map(|name| name.value).into_iter().collect();
    let abbreviations: Option<At<Vec<At<String>>>> = values.list("abbreviations");
    let number: At<String> = values.get("number")?;
    let law = Law { number: number.value.clone(), en: name(en), tr: name(tr), abbreviations: Vec::new() };
    Some((number, law, abbreviations.map(|list| list.value).unwrap_or_default()))
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

    #[test]
    fn entry_takes_no_citations_of_other_laws() {
        let text = "[[law]]\nnumber = 7223\nname.tr = \"A\"\nabbreviations = [\"TTK\", \"hukuku\", \"m\", \"Madde\", \
                    \"Ü.G.K.\", \"ÜGK\"]\n[[law]]\nnumber = 7223\nname.tr = \"B\"\n[[law]]\nnumber = 6750\nname.tr = \"C\"\n\
                    abbreviations = [\"ÜGK\"]\n[[law]]\nnumber = 6102\nabbreviations = [\"TTK\", \"TTKn\"]\n";
        let (laws, findings) = read_laws(text, "laws.toml");
        let lines: Vec<_> = findings.iter().map(|it| (it.code, it.place.span.line)).collect();
        let code = Code::LAW_AMBIGUOUS;
        assert_eq!(lines, [(code, 4), (code, 4), (code, 4), (code, 4), (code, 4), (code, 6), (code, 11)]);
        let kept: Vec<_> = laws.iter().map(|law| law.value.abbreviations.join(" ")).collect();
        assert_eq!(kept, ["ÜGK", "", "TTK TTKn"]);
    }
}
