//! Embeds what a firm does not have to bring along: the theme (`templates/`), and the folder from which a site is
//! started (`starter/`). Each becomes a list of names and bytes. What the program says (`messages/`) becomes a function
//! a message.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;

type Outcome = Result<(), Box<dyn error::Error>>;

/// What belongs to the repository rather than to the theme.
const BESIDE_THE_THEME: [&str; 2] = ["README.md", "assets-licences"];

fn main() -> Outcome {
    let [package, out] = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(folder);
    embed(&package.join("../templates"), &BESIDE_THE_THEME, &out.join("theme.rs"))?;
    embed(&package.join("starter"), &[], &out.join("starter.rs"))?;
    write_messages(&package.join("messages"), &out.join("messages.rs"))
}

/// One message in each language, with the names of its values in braces.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    en: String,
    tr: String,
}

/// Writes a function for each message in the files of `folder` to `table`. Its parameters are the values of the message
/// in the order in which the English names them.
fn write_messages(folder: &Path, table: &Path) -> Outcome {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut functions = String::new();
    let mut files = Vec::new();
    list(folder, "", &[], &mut files)?;
    files.sort();
    for (_, path) in files {
        let messages: BTreeMap<String, Message> =
            toml::from_str(&fs::read_to_string(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        for (name, Message { en, tr }) in messages {
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
        }
    }
    Ok(fs::write(table, functions)?)
}

/// Returns the names in braces; a doubled brace is one that is shown.
fn values(message: &str) -> Vec<String> {
    let shown = message.replace("{{", "").replace("}}", "");
    let mut values: Vec<String> = Vec::new();
    for (value, _) in shown.split('{').skip(1).filter_map(|rest| rest.split_once('}')) {
        if !values.iter().any(|known| known == value) {
            values.push(value.to_owned());
        }
    }
    values
}

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script its folders in the environment")]
fn folder(variable: &str) -> PathBuf {
    env::var_os(variable).unwrap_or_default().into()
}

/// Writes the list of the files below `folder` to `table`, without the hidden ones and `others`.
fn embed(folder: &Path, others: &[&str], table: &Path) -> Outcome {
    // A folder stands for everything in it, so a new file is embedded as well.
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    list(folder, "", others, &mut files)?;
    files.sort();
    let entry = |(name, path): &(String, PathBuf)| {
        format!("    ({name:?}, include_bytes!({:?})),\n", path.display().to_string())
    };
    Ok(fs::write(table, format!("&[\n{}]\n", files.iter().map(entry).collect::<String>()))?)
}

/// Adds the files below `folder`, with their names below the first one.
fn list(folder: &Path, prefix: &str, others: &[&str], files: &mut Vec<(String, PathBuf)>) -> Outcome {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_name().to_string_lossy().starts_with('.') || others.contains(&name.as_str()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), others, files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
