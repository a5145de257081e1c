//! Generates a function for each message in the tables of `messages/`.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, error,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

type Outcome = Result<(), Box<dyn error::Error>>;

fn main() -> Outcome {
    let [package, out] = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(folder);
    write_messages(&package.join("messages"), &out.join("messages.rs"))
}

/// A message in both languages, with the names of its values in braces.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageRow {
    en: String,
    tr: String,
}

/// Messages that a table of answers names: `of_doctor` finds them by their names.
const BY_NAME: &str = "doctor.toml";

/// Writes a function for each message in the files of `folder` to `table`. Its parameters are the values of the message
/// in the order of the English text.
fn write_messages(folder: &Path, table: &Path) -> Outcome {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut functions = String::new();
    let mut arms = String::new();
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.sort();
    for path in files {
        let messages: BTreeMap<String, MessageRow> =
            toml::from_str(&fs::read_to_string(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        for (name, MessageRow { en, tr }) in messages {
            let values = values(&en);
            let is_same = values.iter().collect::<BTreeSet<_>>() == self::values(&tr).iter().collect();
            if !is_same {
                return Err(format!("{}: the languages of `{name}` name different values", path.display()).into());
            }
            writeln!(functions, "/// {}\npub fn {name}(", en.replace('\n', " "))?;
            values.iter().try_for_each(|value| writeln!(functions, "    {value}: impl Say,"))?;
            writeln!(functions, ") -> Text {{\n    Text::build(|locale| {{")?;
            values.iter().try_for_each(|value| writeln!(functions, "        let {value} = {value}.say(locale);"))?;
            writeln!(functions, "        match locale {{\n            Locale::En => format!({en:?}),")?;
            writeln!(functions, "            Locale::Tr => format!({tr:?}),\n        }}\n    }})\n}}")?;
            if path.ends_with(BY_NAME) {
                let given: Vec<_> = values.iter().map(|value| format!("value({value:?})")).collect();
                writeln!(arms, "        {name:?} => {name}({}),", given.join(", "))?;
            }
        }
    }
    writeln!(
        functions,
        "/// Returns the message of `{BY_NAME}` with this name; `value` returns each of its values.\n\
         pub fn of_doctor(name: &str, value: &dyn Fn(&str) -> String) -> Option<Text> {{\n    \
         Some(match name {{\n{arms}        _ => return None,\n    }})\n}}"
    )?;
    Ok(fs::write(table, functions)?)
}

/// Returns the names in braces; a doubled brace is a literal one.
fn values(message: &str) -> Vec<String> {
    let unescaped = message.replace("{{", "").replace("}}", "");
    let mut values: Vec<String> = Vec::new();
    for (value, _) in unescaped.split('{').skip(1).filter_map(|rest| rest.split_once('}')) {
        if !values.iter().any(|known| known == value) {
            values.push(value.to_owned());
        }
    }
    values
}

#[expect(clippy::disallowed_methods, reason = "cargo passes the folders of a build script in the environment")]
fn folder(variable: &str) -> PathBuf {
    env::var_os(variable).unwrap_or_default().into()
}
