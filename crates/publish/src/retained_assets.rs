//! Retained assets of earlier builds: a cached page still needs the style sheet, fonts and script of its time.
//!
//! Pictures are not retained. A picture that a firm removes, such as a portrait, must be gone with that build; a page
//! cached for five minutes shows its description instead.
//!
//! The name of an asset contains its fingerprint, so names do not collide. An asset is removed by the first build a day
//! after the first build without it: a page may be cached for five minutes, and for hours by a cache that lost its
//! origin.

use contract::{
    manifest::{Class, Route},
    media,
    retained_assets::{RetainedAsset, RetainedAssets},
};

use super::manifest::bytes;

/// How long an asset is retained, in seconds.
const RETENTION_SECONDS: i64 = 24 * 60 * 60;
/// Maximum size of retained assets in bytes, compressed forms included: a day of editing a style sheet with `watch`
/// makes many.
const MAX_RETAINED_BYTES: u64 = 64 << 20;

/// Returns the assets to retain while the next build replaces the one with `assets`: all that readers of either build,
/// or of an earlier one, may request. `is_next` tests whether the next build answers a path.
pub(super) fn during_switch(
    assets: &[Route],
    kept: &RetainedAssets,
    is_next: impl Fn(&str) -> bool,
    now: i64,
) -> RetainedAssets {
    let leaving = assets.iter().filter(|route| is_look(route) && !is_next(&route.path));
    let is_asset = |path: &str| assets.iter().any(|route| route.path == path);
    let mut staying: Vec<RetainedAsset> =
        leaving.map(|route| RetainedAsset { since: now, route: route.clone() }).collect();
    staying.extend(kept.assets.iter().filter(|asset| !is_asset(&asset.route.path)).cloned());
    staying.sort_unstable_by(|one, other| one.route.path.cmp(&other.route.path));
    RetainedAssets { assets: staying, ..RetainedAssets::default() }
}

/// Returns the assets to retain after the next build is in force.
pub(super) fn after_switch(is_next: impl Fn(&str) -> bool, kept: RetainedAssets, now: i64) -> RetainedAssets {
    let mut assets = kept.assets;
    assets.retain(|asset| now.saturating_sub(asset.since) < RETENTION_SECONDS && !is_next(&asset.route.path));
    // Newest first, until the limit is reached.
    assets.sort_by(|one, other| (other.since, &one.route.path).cmp(&(one.since, &other.route.path)));
    let mut room = MAX_RETAINED_BYTES;
    assets.retain(|asset| {
        let size = asset.route.variants.iter().map(bytes).fold(0, u64::saturating_add);
        let fits = size <= room;
        room = if fits { room - size } else { 0 };
        fits
    });
    assets.sort_unstable_by(|one, other| one.route.path.cmp(&other.route.path));
    RetainedAssets { assets, ..RetainedAssets::default() }
}

/// Whether a route is a style sheet, a font or a script.
fn is_look(route: &Route) -> bool {
    let is_look = |media_type: &str| [media::CSS, media::WOFF2, media::JAVASCRIPT].contains(&media_type);
    route.class == Class::Asset && route.variants.iter().all(|variant| is_look(&variant.media_type))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::manifest::{FileDigest, Variant};

    fn asset(path: &str, size: u64) -> Route {
        let variant = Variant {
            file: path.trim_start_matches('/').to_owned(),
            media_type: media::CSS.to_owned(),
            size,
            digest: FileDigest::default(),
            encodings: contract::manifest::Encodings::default(),
            locale: None,
            link: None,
            location: None,
            tokens: None,
        };
        Route { path: path.to_owned(), class: Class::Asset, axis: None, variants: vec![variant] }
    }

    fn assets(paths: &[&str]) -> Vec<Route> {
        paths.iter().map(|path| asset(path, 10)).collect()
    }

    fn build(before: &[Route], kept: &RetainedAssets, next: &[Route], now: i64) -> RetainedAssets {
        let is_next = |path: &str| next.iter().any(|route| route.path == path);
        after_switch(is_next, during_switch(before, kept, is_next, now), now)
    }

    fn paths(kept: &RetainedAssets) -> Vec<(&str, i64)> {
        kept.assets.iter().map(|asset| (asset.route.path.as_str(), asset.since)).collect()
    }

    #[test]
    fn removed_asset_is_retained_for_a_day_over_many_builds() {
        let (one, two) = (assets(&["/a.css"]), assets(&["/b.css"]));
        let kept = build(&one, &RetainedAssets::default(), &two, 100);
        assert_eq!(paths(&kept), [("/a.css", 100)]);
        let kept = build(&two, &kept, &two, 200);
        assert_eq!(paths(&kept), [("/a.css", 100)]);
        let three = assets(&["/c.css"]);
        let kept = build(&two, &kept, &three, 300);
        assert_eq!(paths(&kept), [("/a.css", 100), ("/b.css", 300)]);
        assert_eq!(paths(&build(&three, &kept, &three, 100 + RETENTION_SECONDS)), [("/b.css", 300)]);
    }

    #[test]
    fn removed_picture_is_not_retained() {
        let mut one = assets(&["/a.css", "/portrait.png"]);
        one[1].variants[0].media_type = "image/png".to_owned();
        assert_eq!(paths(&build(&one, &RetainedAssets::default(), &assets(&[]), 100)), [("/a.css", 100)]);
    }

    #[test]
    fn returning_asset_is_no_longer_retained() {
        let (one, two) = (assets(&["/a.css"]), assets(&["/b.css"]));
        let kept = build(&one, &RetainedAssets::default(), &two, 100);
        assert_eq!(paths(&build(&two, &kept, &one, 200)), [("/b.css", 200)]);
    }

    #[test]
    fn oldest_assets_are_dropped_above_the_limit() {
        let kept = |path, since, size| RetainedAsset { since, route: asset(path, size) };
        let assets = vec![kept("/a", 1, 1), kept("/b", 2, MAX_RETAINED_BYTES), kept("/c", 3, 1), kept("/d", 4, 1)];
        let left = after_switch(|_| false, RetainedAssets { assets, ..RetainedAssets::default() }, 5);
        assert_eq!(paths(&left), [("/c", 3), ("/d", 4)]);
    }
}
