//! Scores the readiness of a site for agents by the points of public scanners, which are rows of the table of answers.

use std::collections::HashMap;

use answers::{Condition, Names, TABLE};
use findings::messages::{self, Text};
use serde_json::Value;

use super::{
    rows,
    visit::{Answer, Visit},
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    pub scanner: &'static str,
    /// The scanner's name for the point.
    pub name: &'static str,
    /// Whether it holds; `None` if HTTP requests cannot show it, or the site does not offer it on purpose.
    pub holds: Option<bool>,
    /// The remedy, or why the point was not examined.
    pub remedy: Text,
}

/// The answers to the rows that points name.
struct Fetched<'a> {
    names: &'a Names,
    answers: HashMap<&'static str, (u16, Option<Answer>)>,
}

/// Sends the requests of the scanners to `origin`, and returns every point.
///
/// # Errors
/// If `origin` is not an origin, or nothing answers there.
pub fn score(origin: &str) -> Result<Vec<Point>, Text> {
    let (visit, _) = super::visit(origin)?;
    let fetched = Fetched::from(&visit);
    let points = TABLE.points.iter().map(|point| {
        let is_offered = point.offer.as_deref().is_none_or(|offer| fetched.offers(&visit, offer));
        let remedy = rows::text(Some(&point.remedy));
        let remedy = if is_offered { remedy } else { messages::readiness_not_offered() };
        let holds = is_offered.then(|| point.all.iter().all(|condition| fetched.holds(condition)));
        Point { scanner: &point.scanner, name: &point.name, holds, remedy }
    });
    // This point needs DNS, which the doctor does not query.
    let dns =
        Point { scanner: "isitagentready.com", name: "dnsAid", holds: None, remedy: messages::readiness_dns_help() };
    Ok(points.chain([dns]).collect())
}

impl<'a> Fetched<'a> {
    fn from(visit: &'a Visit) -> Self {
        let names = rows::names(visit);
        let mut answers = HashMap::new();
        for condition in TABLE.points.iter().flat_map(|point| &point.all) {
            let row = TABLE.rows().find(|row| row.id == condition.of);
            let fetch = || row.and_then(|row| Some((row.status, rows::answer(visit, row, names)?.1.ok())));
            answers.entry(condition.of.as_str()).or_insert_with(|| fetch().unwrap_or_default());
        }
        Self { names, answers }
    }

    /// Returns whether the site offers MCP or registration; a document that cannot be read counts as an offer.
    fn offers(&self, visit: &Visit, offer: &str) -> bool {
        if offer == "mcp" {
            return rows::offers_service(visit);
        }
        let resource = self.answers.get("protected-resource").and_then(|(_, answer)| answer.as_ref()?.json().ok());
        resource.is_none_or(|resource| resource["authorization_servers"].as_array().is_none_or(|them| !them.is_empty()))
    }

    fn holds(&self, condition: &Condition) -> bool {
        let Some((status, Some(answer))) = self.answers.get(condition.of.as_str()) else { return false };
        let text = answer.text();
        let says = |words: &String| words.split('|').any(|word| text.contains(word));
        // Agents read the beginning of a body.
        let body = text.find("<body").map_or(&*text, |at| &text[at..]);
        let links = answer.field("link");
        let json = answer.json().unwrap_or_default();
        answer.status == *status
            && condition.media_type.as_deref().is_none_or(|media_type| answer.has_type(media_type))
            && condition.says.iter().all(says)
            && condition.begins.as_deref().is_none_or(|word| body.find(word).is_some_and(|at| at < 2_000))
            && condition.lacks.as_deref().is_none_or(|word| !text.contains(word))
            && condition.bytes.is_none_or(|[least, most]| (least..=most).contains(&text.len()))
            && condition.has.iter().all(|field| !answer.field(field).is_empty())
            && condition.links.iter().all(|relation| links.contains(&format!("rel=\"{relation}\"")))
            && condition.json.iter().all(|(pointer, wanted)| {
                pointer
                    .split('|')
                    .any(|pointer| is_member(&json, pointer, &self.names.fill(wanted).unwrap_or_default()))
            })
    }
}

/// Returns whether the members at `pointer`, in which `*` stands for every item of a list that is not empty, are
/// `wanted`: a text, or `text`, `list` (not empty) or `object`.
fn is_member(value: &Value, pointer: &str, wanted: &str) -> bool {
    let items = |value: &Value| value.as_array().filter(|them| !them.is_empty()).cloned();
    if let Some((list, rest)) = pointer.split_once("/*") {
        let items = value.pointer(list).and_then(items);
        return items.is_some_and(|them| them.iter().all(|it| is_member(it, rest, wanted)));
    }
    value.pointer(pointer).is_some_and(|value| match wanted {
        "text" => value.is_string(),
        "list" => items(value).is_some(),
        "object" => value.is_object(),
        _ => value.as_str().is_some_and(|text| match wanted.strip_suffix('*') {
            Some(start) => text.starts_with(start),
            None => text == wanted,
        }),
    })
}
