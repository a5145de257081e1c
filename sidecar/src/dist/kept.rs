//! Adds the assets of earlier builds that stand beside this one: cached pages still ask for them.
//!
//! They are a courtesy. Whatever is wrong with the list or with a file of it is said in the log, and the build is served
//! without; it never refuses a build.

use std::{fs, path::Path};

use contract::{
    kept::{FILE_NAME, FORMAT, Kept},
    manifest::{Class, Manifest, Route},
};

use super::{
    Bodies, check,
    files::{self, Wanted},
};

/// Adds to `manifest` the routes of the list in `folder` that it does not have, and their verified bytes to `bodies`.
pub(super) fn add(folder: &Path, manifest: &mut Manifest, bodies: &mut Bodies, known: &Bodies) {
    let Ok(text) = fs::read(folder.join(FILE_NAME)) else { return };
    let kept = match serde_json::from_slice::<Kept>(&text) {
        Ok(kept) if kept.format == FORMAT => kept,
        Ok(_) => return tracing::warn!("{FILE_NAME} is of another release; older assets are not served"),
        Err(error) => return tracing::warn!("{FILE_NAME} is damaged ({error}); older assets are not served"),
    };
    for asset in kept.assets {
        let route = asset.route;
        if let Err(place) = manifest.routes.binary_search_by(|other| other.path.cmp(&route.path)) {
            match read(folder, manifest, &route, known) {
                Ok(read) => {
                    bodies.extend(read);
                    manifest.routes.insert(place, route);
                }
                Err(problem) => tracing::warn!(path = route.path, "an older asset is not served: {problem}"),
            }
        }
    }
}

/// The bytes of an asset, if it is one and may be served beside `manifest`.
fn read(folder: &Path, manifest: &Manifest, route: &Route, known: &Bodies) -> Result<Bodies, String> {
    if route.class != Class::Asset || route.axis.is_some() {
        return Err("it is no file with a fingerprint".to_owned());
    }
    if manifest.redirects.iter().any(|redirect| redirect.from == route.path) {
        return Err("its address leads elsewhere now".to_owned());
    }
    let wanted: Vec<Wanted> = check::route(manifest, route)?;
    files::read(folder, wanted, known, 1).map_err(|error| error.to_string())
}
