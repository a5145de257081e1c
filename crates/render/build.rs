//! Embeds the built-in theme.

mod embed;

use std::error;

/// Files of `templates/` that are not part of the theme.
const BESIDE_THE_THEME: [&str; 2] = ["README.md", "assets-licences"];

fn main() -> Result<(), Box<dyn error::Error>> {
    let [package, out] = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(embed::folder);
    embed::embed(&package.join("../../templates"), &BESIDE_THE_THEME, &out.join("theme.rs"))
}
