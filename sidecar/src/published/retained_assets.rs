//! Adds the retained assets of earlier builds, to which cached pages refer.
//!
//! A problem with the list or one of its files is logged; the build is served without it and never rejected.

use std::{fs, path::Path};

use contract::{
    manifest::{Class, Manifest, Route},
    retained_assets::{FILE_NAME, FORMAT, RetainedAssets},
};

use super::{
    check,
    contents::{Contents, LoadPlan},
    files,
};

/// Adds the routes of the list in `folder` that `manifest` lacks, and returns their verified contents.
pub(super) fn add(folder: &Path, manifest: &mut Manifest, known: &Contents) -> Vec<Contents> {
    let mut added = Vec::new();
    let Ok(text) = fs::read(folder.join(FILE_NAME)) else { return added };
    let kept = match serde_json::from_slice::<RetainedAssets>(&text) {
        Ok(kept) if kept.format == FORMAT => kept,
        Ok(_) => {
            tracing::warn!("{FILE_NAME} comes from another release; older assets are not served");
            return added;
        }
        Err(error) => {
            tracing::warn!("{FILE_NAME} is damaged ({error}); older assets are not served");
            return added;
        }
    };
    for asset in kept.assets {
        let route = asset.route;
        if let Err(place) = manifest.routes.binary_search_by(|other| other.path.cmp(&route.path)) {
            match read(folder, manifest, &route, known) {
                Ok(contents) => {
                    added.push(contents);
                    manifest.routes.insert(place, route);
                }
                Err(problem) => tracing::warn!(path = route.path, "an older asset is not served: {problem}"),
            }
        }
    }
    added
}

/// Reads the contents of `route`, if it is an asset that may be served beside `manifest`.
fn read(folder: &Path, manifest: &Manifest, route: &Route, known: &Contents) -> Result<Contents, String> {
    if route.class != Class::Asset || route.axis.is_some() {
        return Err("it is not a file with a fingerprint".to_owned());
    }
    if manifest.redirects.iter().any(|redirect| redirect.from == route.path) {
        return Err("its address is now a redirect".to_owned());
    }
    check::route(manifest, route)?;
    let mut plan = LoadPlan::default();
    for variant in &route.variants {
        plan.add(variant).ok_or("it does not fit in memory")?;
    }
    files::read(folder, plan, &[known], 1).map_err(|error| error.to_string())
}
