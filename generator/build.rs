//! Embeds the folder from which a site is started.

#[path = "../crates/render/embed.rs"]
mod embed;

use std::error;

fn main() -> Result<(), Box<dyn error::Error>> {
    let [package, out] = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(embed::folder);
    embed::embed(&package.join("starter"), &[], &out.join("starter.rs"))
}
