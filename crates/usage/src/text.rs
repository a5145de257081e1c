//! The report as plain text, JSON and CSV, and its words in both languages.

use std::fmt::Write as _;

use contract::Locale;
use serde_json::{Value, json};

use super::{
    CountKind, MIN_COUNT, MIN_DAYS, Month, UsageReport,
    report::{ReportRow, ReportSource, ShownCount},
};

/// Rows of a table in a report for people; programs get all.
pub(crate) const MAX_SHOWN: usize = 50;

impl UsageReport {
    /// Returns what a reader must know about the counts, a sentence or two each.
    pub(crate) fn notes(&self, locale: Locale) -> Vec<String> {
        let is_turkish = locale == Locale::Tr;
        let mut notes = Vec::new();
        match self.source {
            ReportSource::Service if is_turkish => {
                notes.push(
                    "Bir önbellekten ya da CDN’den karşılanan istekler bu hizmete ulaşmaz; burada sayılmamıştır. CDN \
                     kullanılıyorsa gerçek sayılar daha yüksektir."
                        .to_owned(),
                );
                notes.push(
                    "Sayılar her saat başında yazılır; yapılandırmadaki `report = false` sayımı kapatır.".to_owned(),
                );
            }
            ReportSource::Service => {
                notes.push(
                    "Requests that a cache or a CDN answers do not reach this service and are not counted; behind a CDN \
                     the real numbers are higher."
                        .to_owned(),
                );
                notes.push(
                    "Counts are written every full hour; `report = false` in the configuration switches the counting off."
                        .to_owned(),
                );
            }
            ReportSource::Log { entries, skipped } if is_turkish => {
                notes.push(format!(
                    "Kaynak: sunucunun günlük dosyası; bu aya ait {entries} kayıt okundu, kayıt olmayan {skipped} satır \
                     atlandı. Günlük, MCP araçlarını, sonuçsuz aramaları ve kayıtları göstermez."
                ));
            }
            ReportSource::Log { entries, skipped } => {
                notes.push(format!(
                    "From a log of the host: {entries} entries of this month were read, {skipped} lines that are no \
                     entries were skipped. A log shows no MCP tools, no searches without results, no registrations."
                ));
            }
        }
        notes.push(if is_turkish {
            format!(
                "Sonuçsuz aramaların sözcükleri ve bulunmayan adresler ancak ayın en az {MIN_DAYS} ayrı gününde \
                 istendiyse gösterilir; kişi sayısı bilinmediği için ölçü gündür. Ötekiler birlikte sayılır."
            )
        } else {
            format!(
                "Words of searches without results and addresses that do not exist are shown only if they were used on \
                 at least {MIN_DAYS} days of the month: people are not distinguished, so days stand for them. All others \
                 are counted together."
            )
        });
        notes.push(if is_turkish {
            format!(
                "{MIN_COUNT} altındaki sayılar “{MIN_COUNT}’dan az” diye yazılır. Küçük bir sayı çıkarma yoluyla \
                 bulunamasın diye toplamlar onluğa aşağı yuvarlanır, bazı satırların yalnızca üst sınırı verilir. Programların adları kendi \
                 bildirimleridir, doğrulanmaz. Günler UTC’ye göredir."
            )
        } else {
            format!(
                "Counts below {MIN_COUNT} are shown as “fewer than {MIN_COUNT}”. So that none follows by subtraction, sums \
                 are rounded down to tens, and of some rows only an upper limit is given. Programs are named as they call \
                 themselves, which is not verified. Days are those of UTC."
            )
        });
        notes
    }
}

/// Returns the heading of the report.
pub(crate) fn title(month: &Month, locale: Locale) -> String {
    const ENGLISH: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    const TURKISH: [&str; 12] =
        ["Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül", "Ekim", "Kasım", "Aralık"];
    let (year, number) = month.numbers();
    match locale {
        Locale::En => format!("What was read on the site in {} {year}", ENGLISH[(number - 1) % 12]),
        Locale::Tr => format!("Sitede okunanlar: {} {year}", TURKISH[(number - 1) % 12]),
    }
}

/// Returns the sentence for a month without counts.
pub(crate) fn nothing(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "Nothing was counted in this month.",
        Locale::Tr => "Bu ay için sayım yok.",
    }
}

/// Returns the sentence with the sum.
pub(crate) fn sum(report: &UsageReport, locale: Locale) -> String {
    let count = count_words(report.total, locale);
    match locale {
        Locale::En => format!("Requests for pages and data: {count}"),
        Locale::Tr => format!("Sayfa ve veri istekleri: {count}"),
    }
}

/// Returns a count for people.
pub(crate) fn count_words(count: ShownCount, locale: Locale) -> String {
    let separator = if locale == Locale::Tr { '.' } else { ',' };
    match (count, locale) {
        (ShownCount::Exactly(count), _) => grouped(count, separator),
        (ShownCount::FewerThan(limit), Locale::En) => format!("fewer than {}", grouped(limit, separator)),
        (ShownCount::FewerThan(limit), Locale::Tr) => format!("{}’{} az", grouped(limit, separator), ablative(limit)),
    }
}

/// Returns the Turkish ending “from” of a power of ten as it is read: ondan, yüzden, binden, milyondan.
fn ablative(limit: u64) -> &'static str {
    match limit.checked_ilog10().unwrap_or(0) {
        // Yüz, bin, on bin, yüz bin.
        2..=5 => "den",
        // On, milyon, on milyon; what follows is not reached.
        _ => "dan",
    }
}

/// Returns the digits of a number in groups of three.
fn grouped(number: u64, separator: char) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}

/// Returns the sentence about rows that are left off.
pub(crate) fn more(count: usize, locale: Locale) -> String {
    match locale {
        Locale::En => format!("and {count} more rows, which JSON and CSV list"),
        Locale::Tr => format!("ve {count} satır daha; tamamı JSON ve CSV çıktısında"),
    }
}

/// Returns the heading of a table, of a column, or a coded value, in `locale`.
pub(crate) fn word(code: &str, locale: Locale) -> &str {
    const WORDS: [(&str, &str, &str); 33] = [
        ("day.title", "Requests by day", "Günlere göre istekler"),
        ("reader.title", "Readers", "Okuyanlar"),
        ("page.title", "Pages and data", "Sayfalar ve veriler"),
        ("language.title", "Languages", "Diller"),
        ("tool.title", "Tools of MCP", "MCP araçları"),
        ("missing.title", "Addresses that do not exist", "Bulunmayan adresler"),
        ("unfound.title", "Searches without results", "Sonuçsuz aramalar"),
        ("registration.title", "Registrations of agents", "Yazılım aracısı kayıtları"),
        ("day", "Day", "Gün"),
        ("group", "Kind", "Tür"),
        ("reader", "Name", "Ad"),
        ("format", "Format", "Biçim"),
        ("page", "Page", "Sayfa"),
        ("language", "Language", "Dil"),
        ("tool", "Tool", "Araç"),
        ("path", "Address", "Adres"),
        ("words", "Words", "Sözcükler"),
        ("kind", "Kind", "Tür"),
        ("count", "Count", "Sayı"),
        ("browser", "browser", "tarayıcı"),
        ("search_engine", "search engine", "arama motoru"),
        ("agent", "AI agent", "yapay zekâ aracısı"),
        ("mcp", "MCP client", "MCP istemcisi"),
        ("text", "text", "metin"),
        ("feed", "feed", "akış"),
        ("document", "document", "belge"),
        ("elsewhere", "(no link of this site)", "(bu sitede bağlantısı yok)"),
        ("other", "other", "diğer"),
        ("en", "English", "İngilizce"),
        ("tr", "Turkish", "Türkçe"),
        ("anonymous", "without an identity", "kimliksiz"),
        ("email", "by e-mail", "e-posta ile"),
        ("provider", "by a provider", "sağlayıcı ile"),
    ];
    let found = WORDS.iter().find(|(known, ..)| *known == code);
    found.map_or(code, |(_, english, turkish)| if locale == Locale::Tr { turkish } else { english })
}

/// Returns a cell for people: coded values in words, text of the site and of readers as it is.
pub(crate) fn cell<'c>(column: &str, cell: &'c str, locale: Locale) -> &'c str {
    match (column, cell) {
        // The same word in both languages; `tool` is also the heading of a column.
        ("group", "tool") => "program",
        ("format", "mcp") => "MCP",
        // The kind says it already.
        ("reader", "browser" | "mcp") => "",
        ("group" | "format" | "language" | "kind", _) | (_, "other" | "elsewhere") => word(cell, locale),
        _ => cell,
    }
}

pub(crate) fn text(report: &UsageReport, locale: Locale) -> String {
    let mut out = format!("{}\n", title(&report.month, locale));
    out += &if report.is_empty() { nothing(locale).to_owned() } else { sum(report, locale) };
    out.push('\n');
    for section in report.sections.iter().filter(|section| !section.rows.is_empty()) {
        let heading = word(&format!("{}.title", section.kind.as_str()), locale).to_owned();
        let table = match section.kind {
            CountKind::Day => table((&["day"], &report.days), locale),
            _ => table((section.columns, &section.rows), locale),
        };
        let _ = write!(out, "\n{heading}\n{table}");
    }
    for note in report.notes(locale) {
        let _ = write!(out, "\n{note}");
    }
    out
}

/// Returns aligned rows; the count comes first, so that long addresses do not move it.
fn table((columns, rows): (&[&str], &[ReportRow]), locale: Locale) -> String {
    let all = rows.len();
    let rows: Vec<Vec<String>> = rows
        .iter()
        .take(MAX_SHOWN)
        .map(|(cells, count)| {
            let cells = columns.iter().zip(cells);
            let cells = cells.map(|(column, text)| visible(cell(column, text, locale)));
            [count_words(*count, locale)].into_iter().chain(cells).collect()
        })
        .collect();
    let widths: Vec<usize> = (0..=columns.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in &rows {
        let mut line = format!("  {:>width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(line, "  {cell:<width$}");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let left = all.saturating_sub(MAX_SHOWN);
    if left > 0 {
        let _ = writeln!(out, "  {}", more(left, locale));
    }
    out
}

/// Returns `text` without characters that control a terminal.
fn visible(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect()
}

pub(crate) fn object(report: &UsageReport) -> Value {
    let tables = report.sections.iter().map(|section| {
        let rows = section.rows.iter().map(|(cells, count)| {
            let mut row: serde_json::Map<_, _> =
                section.columns.iter().zip(cells).map(|(column, cell)| ((*column).to_owned(), json!(cell))).collect();
            match count {
                ShownCount::Exactly(count) => row.insert("count".to_owned(), json!(count)),
                ShownCount::FewerThan(limit) => row.insert("fewer_than".to_owned(), json!(limit)),
            };
            Value::Object(row)
        });
        (plural(section.kind).to_owned(), Value::Array(rows.collect()))
    });
    let mut object = serde_json::Map::new();
    object.insert("month".to_owned(), json!(report.month.as_str()));
    match report.total {
        _ if report.days.is_empty() => object.insert("requests".to_owned(), json!(0)),
        ShownCount::Exactly(total) => object.insert("requests".to_owned(), json!(total)),
        ShownCount::FewerThan(limit) => object.insert("requests_fewer_than".to_owned(), json!(limit)),
    };
    object.insert("is_empty".to_owned(), json!(report.is_empty()));
    object.extend(tables);
    object.insert("notes".to_owned(), json!(report.notes(Locale::En)));
    Value::Object(object)
}

fn plural(kind: CountKind) -> &'static str {
    match kind {
        CountKind::Day => "days",
        CountKind::Reader => "readers",
        CountKind::Page => "pages",
        CountKind::Language => "languages",
        CountKind::Tool => "tools",
        CountKind::Missing => "missing",
        CountKind::Unfound => "searches_without_results",
        CountKind::Registration => "registrations",
    }
}

/// Returns one table of all rows (RFC 4180): month, table, three cells, count. A count that is not shown is `<10`, or below another power of ten.
pub(crate) fn csv(report: &UsageReport) -> String {
    let mut out = "month,table,group,format,name,page,count\r\n".to_owned();
    for section in &report.sections {
        for (cells, count) in &section.rows {
            let of = |column: &str| {
                let at = section.columns.iter().position(|known| *known == column);
                at.and_then(|at| cells.get(at)).map_or("", String::as_str)
            };
            let name =
                ["day", "reader", "language", "tool", "path", "words", "kind"].into_iter().map(of).collect::<String>();
            let count = match count {
                ShownCount::Exactly(count) => count.to_string(),
                ShownCount::FewerThan(limit) => format!("<{limit}"),
            };
            let month = report.month.as_str();
            let row = [month, plural(section.kind), of("group"), of("format"), &name, of("page"), &count];
            out += &row.map(field).join(",");
            out += "\r\n";
        }
    }
    out
}

/// Returns a field of CSV. Security: a spreadsheet would run a field that begins like a formula, so an apostrophe comes
/// before it.
fn field(text: &str) -> String {
    let text = visible(text);
    let first = text.trim_start().chars().next();
    let guard = if first.is_some_and(|first| "=+-@＝＋－＠".contains(first)) { "'" } else { "" };
    if text.contains(['"', ',', ';', '\'']) || !guard.is_empty() {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}
