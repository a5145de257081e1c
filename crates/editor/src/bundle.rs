//! The package of the editor as npm delivers it: `npm pack @sveltia/cms@…` writes it.
//!
//! Security: a package is read only if it has the expected digest, so its archive is trusted. The program requests fonts,
//! translations and news of itself from other origins; these addresses are replaced by paths of the site. Words that its Turkish
//! translation lacks are in `tr.json`.

use std::{fs, io, path::PathBuf, sync::OnceLock};

use contract::{media, routes};
use findings::messages::{self, Text};
use libdeflater::Decompressor;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};
use site::EditorFile;

/// The version of the package.
pub const VERSION: &str = "0.221.1";
/// The name of the package's file.
pub const PACKAGE: &str = "sveltia-cms-0.221.1.tgz";
/// SHA-256 of the package.
const DIGEST: &str = "cfc6193c6c17c3d1d97c85bc2d63ec3655ba2a844b37c6fe5759f1a80821bb02";
/// The length of a block of an archive.
const BLOCK: usize = 512;
/// The largest unpacked package, in bytes.
const MAX_UNPACKED: usize = 128 * 1024 * 1024;

const PROGRAM: &str = "package/dist/sveltia-cms.js";
/// The Turkish words of the package, and those that it lacks or that are better.
const TURKISH: &str = "package/locales/tr.json";
const BETTER_TURKISH: &str = include_str!("tr.json");
/// Files of the package that are published unchanged, with their names at the site.
const FILES: [(&str, &str, &str); 7] = [
    ("package/npm/assets/source-sans-3-latin-wght-normal-BqRLTx4X.woff2", "source-sans-3.woff2", media::WOFF2),
    ("package/npm/assets/material-symbols-outlined-latin-wght-normal-_Z1IJPLg.woff2", "symbols.woff2", media::WOFF2),
    ("package/npm/assets/noto-mono-latin-400-normal-DiC8lJru.woff2", "noto-mono.woff2", media::WOFF2),
    ("package/LICENSE.txt", "licences/sveltia-cms.txt", media::TEXT),
    ("package/npm/assets/source-sans-3.LICENSE.txt", "licences/source-sans-3.txt", media::TEXT),
    ("package/npm/assets/material-symbols-outlined.LICENSE.txt", "licences/material-symbols-outlined.txt", media::TEXT),
    ("package/npm/assets/noto-mono.LICENSE.txt", "licences/noto-mono.txt", media::TEXT),
];
/// The English words of the package, with their names at the site. Those of the United States are in the program.
const LOCALES: [(&str, &str); 2] = [
    ("package/locales/en-CA.json", "cms@0.221.1/locales/en-CA.json"),
    ("package/locales/en-GB.json", "cms@0.221.1/locales/en-GB.json"),
];
/// What is replaced in the program. Each occurs once.
const REPLACED: [(&str, &str); 32] = [
    // Addresses of other origins.
    ("https://unpkg.com/@sveltia/cms", "/admin/cms"),
    (
        "https://cdn.jsdelivr.net/fontsource/fonts/source-sans-3:vf@5.3.0/latin-wght-normal.woff2",
        "/admin/source-sans-3.woff2",
    ),
    (
        "https://cdn.jsdelivr.net/fontsource/fonts/material-symbols-outlined:vf@5.3.7/latin-wght-normal.woff2",
        "/admin/symbols.woff2",
    ),
    ("https://cdn.jsdelivr.net/fontsource/fonts/noto-mono@5.3.0/latin-400-normal.woff2", "/admin/noto-mono.woff2"),
    // Saving an entry that does not exist in the first language of its collection: an article in English only.
    ("path:d[c].path,fallback:a", "path:(d[c]??Object.values(d)[0]).path,fallback:a"),
    ("?(p[l].content=AA(e.data),", "?(p[l]&&(p[l].content=AA(e.data)),"),
    // A save for review replaces the change of another person without a word: as with a save to the branch, the person decides. An
    // entry without a request is compared with the branch, and its request begins at the commit that was read.
    ("if(!c){let t=await xLe(e)", "if(!c||!s?.workflow){let t=await xLe(e)"),
    ("let o=a.ref.target.oid;", "let o=LJ.current||a.ref.target.oid;"),
    ("start_branch:o}", "start_sha:LJ.current}"),
    // A request is continued only if it is at the commit that was read, unless the person has decided.
    ("collection:i,skipCI:t};try{S=c?", "collection:i,skipCI:t,overwrite:n};try{S=c?"),
    ("let o=a?void 0:await nbe(n)", "let o=a?t.overwrite?void 0:a.headSHA:await nbe(n)"),
    ("a?await BY(e,{...t,branch:n})", "a?await BY(e,{...t,branch:n,headOid:t.overwrite?void 0:a.headSHA})"),
    (
        "actions:r},{startBranch:o}=t",
        "actions:r.map(e=>({...e,last_commit_id:t.branch?t.headOid:LJ.current}))},{startBranch:o}=t",
    ),
    (
        "catch(e){throw console.error(e.cause??e),Error(`saving_failed`",
        "catch(e){if(!n&&/^Expected branch to point|since you started editing/.test(e.cause?.message))\
         throw Error(`save_conflict`,{cause:{type:`modified`,entry:{}}});throw console.error(e.cause??e),Error(`saving_failed`",
    ),
    // A request that another person opened after this page was loaded.
    (
        "return!SJ.current&&!await ebe(e)?(await tbe(e,o),o):void 0",
        "if(await ebe(e))throw Error(`request`,{cause:Error(Y(`save_conflict.modified`))});return await tbe(e,o),o",
    ),
    (
        "return await Vbe(n)?BY(e,t):(await XY(n),BY(e,{...t,startBranch:r}))",
        "if(await Vbe(n))throw Error(`request`,{cause:Error(Y(`save_conflict.modified`))});\
         return await XY(n),BY(e,{...t,startBranch:r})",
    ),
    // What was published is read again, so that a further save does not take it for the change of another person.
    ("await oQ(),Yxe(e)", "await SZ().catch(console.error),await oQ(),Yxe(e)"),
    // GitHub has no drafts of requests in a private repository of a free plan; the label has the state as well.
    (
        "c=await tJ(`/repos/${r}/${i}/pulls`,{method:`POST`,body:{title:t,head:o?`${o.owner}:${e}`:e,base:a,draft:s,\
         body:`Automatically generated by Sveltia CMS`}})",
        "u=s=>tJ(`/repos/${r}/${i}/pulls`,{method:`POST`,body:{title:t,head:e,base:a,draft:s}}),\
         c=await u(s).catch(e=>{if(!s||!/draft/i.test(e.cause?.message))throw e;return u(!1)})",
    ),
    (
        "{input:{pullRequestId:e.nodeId}})}",
        "{input:{pullRequestId:e.nodeId}}).catch(e=>{if(!/draft/i.test(e.cause?.message))throw e})}",
    ),
    // A request for an article of the second collection of a folder, which is recognised by its files otherwise.
    ("=>e.collectionName===n&&t!==void 0)", "=>n.startsWith(e.collectionName)&&t!==void 0)"),
    // `start.js` completes each entry before it is saved; events would need a package of another origin.
    ("await C0({type:`preSave`,entry:_,", "window.beforeSave(e,_.locales);await C0({type:`preSave`,entry:_,"),
    (
        "fields:o,locale:t,valueMap:n,canonicalSlugKey:c",
        "fields:window.inFileOrder(o,r,a?.name),locale:t,valueMap:n,canonicalSlugKey:c",
    ),
    // The backup of unsaved texts is off after the second of two equal notices that the folder is open.
    (
        "if(e&&!c4){let{databaseName:t}=e.repository??{};if(t){c4=new QO(",
        "if(e){let{databaseName:t}=e.repository??{};if(t){c4??=new QO(",
    ),
    // The key that closes dialogs closes texts only for those who switch this on.
    ("e.closeWithEscape??=!0", "e.closeWithEscape??=!1"),
    // Defaults are for new entries: an entry without a field keeps lacking it.
    (
        "Q3({content:r,keyPath:n,fieldConfig:t,locale:a,",
        "Q3({content:r,keyPath:n,fieldConfig:{...t,default:void 0},locale:a,",
    ),
    // `start.js` begins a language that is added to an entry; the program copies the shared facts and the keywords.
    (
        "let i=$3({fields:n,locale:t,defaultLocale:r});",
        "let i=$3({fields:n.map(e=>({...e,default:void 0})),locale:t,defaultLocale:r});",
    ),
    ("target:r6({draft:e,content:i,targetLanguage:t})})", "target:window.beginLanguage(e,i)})"),
    // There is no folder of media for all entries, because only files beside a text are published.
    ("n===void 0&&!GH(e)&&a.add(Y(`config.error.missing_media_folder`))", "!1"),
    // The folder of an entry is its key, to which texts and fields refer.
    ("{key:`slug`,icon:`anchor`,disabled:!$6(e)},", ""),
    ("ZR.isSmallScreen||e(h)", "!1"),
    // An entry to which texts link is not deleted.
    (
        "targets:[...r.values()],blockers:y2(i)}",
        "targets:[...r.values()],blockers:y2([...i,...window.textsThatLink(e,n,DP.current,MF,tR)])}",
    ),
    // Without a forge, there is nowhere to sign in.
    (".auth_methods?.includes(`token`)===!1)", ".auth_methods?.includes(`token`)===!1||R(i).repo===`site/content`)"),
];
/// English words that are replaced in the program and in [`LOCALES`]. Each occurs once in each.
const ENGLISH: [(&str, &str); 6] = [
    ("Work with Local Repository", "Open the Site’s Folder"),
    (
        "Once prompted, select the root directory of the “{$repo}” repository.",
        "Choose the folder of the site: the one with the folder “content” in it.",
    ),
    (
        "The selected folder is not a repository root directory. Please try again.",
        "This is not the folder of the site, which has the folders “content” and “.git” in it. Please try again.",
    ),
    ("A repository root directory could not be selected. Please try again.", "No folder was chosen. Please try again."),
    ("Working with Local Repository", "Working in the Site’s Folder"),
    ("View on Live Site", "Show Page"),
];

/// The files of the package, as they are published.
#[derive(Debug)]
pub struct Bundle(Vec<EditorFile>);

impl Bundle {
    /// Reads the package at the first of `places` that exists. Later calls return the same bundle.
    ///
    /// # Errors
    /// If the package is missing, unreadable or not the expected one.
    pub fn load(places: impl IntoIterator<Item = PathBuf>) -> Result<&'static Self, Text> {
        static LOADED: OnceLock<Bundle> = OnceLock::new();
        if let Some(bundle) = LOADED.get() {
            return Ok(bundle);
        }
        for path in places {
            match fs::read(&path) {
                Ok(package) => {
                    if hex::encode(Sha256::digest(&package)) != DIGEST {
                        return Err(messages::editor_package_other(path.display(), VERSION));
                    }
                    let bundle = Self::unpack(&package)?;
                    return Ok(LOADED.get_or_init(|| bundle));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Text::at_path(&path, error)),
            }
        }
        Err(messages::editor_package_missing(VERSION))
    }

    pub(crate) fn files(&self) -> &[EditorFile] {
        &self.0
    }

    /// Fails only if this program is wrong: the package is the expected one.
    fn unpack(package: &[u8]) -> Result<Self, Text> {
        let lacking = messages::editor_package_incomplete;
        let archive = decompress(package).ok_or_else(|| lacking(PACKAGE))?;
        let find = |name: &'static str| entry(&archive, name).ok_or_else(|| lacking(name));
        let file =
            |name: &str, media_type, bytes| EditorFile { path: format!("{}/{name}", routes::ADMIN), media_type, bytes };
        let text = |name| find(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let program = replaced(replaced(text(PROGRAM)?, &REPLACED)?, &ENGLISH)?;
        // The program looks there for a newer version of itself; there is none.
        let version = format!("{{\"version\":\"{VERSION}\"}}\n");
        let mut files = vec![
            file("sveltia-cms.js", media::JAVASCRIPT, program.into_bytes()),
            file("cms/package.json", media::JSON, version.into_bytes()),
            file("cms@0.221.1/locales/tr.json", media::JSON, turkish(find(TURKISH)?).ok_or_else(|| lacking(TURKISH))?),
        ];
        for (name, public) in LOCALES {
            files.push(file(public, media::JSON, replaced(text(name)?, &ENGLISH)?.into_bytes()));
        }
        for (name, public, media_type) in FILES {
            files.push(file(public, media_type, find(name)?.to_vec()));
        }
        Ok(Self(files))
    }
}

fn replaced(text: String, parts: &[(&'static str, &str)]) -> Result<String, Text> {
    parts.iter().try_fold(text, |text, (old, new)| match text.matches(old).count() {
        1 => Ok(text.replacen(old, new, 1)),
        _ => Err(messages::editor_package_incomplete(old)),
    })
}

/// Puts the better words over the Turkish words of the package.
fn turkish(words: &[u8]) -> Option<Vec<u8>> {
    let mut words = serde_json::from_slice(words).ok()?;
    put_over(&mut words, serde_json::from_str(BETTER_TURKISH).ok()?);
    serde_json::to_vec(&words).ok()
}

fn put_over(words: &mut Json, better: Json) {
    match (words, better) {
        (Json::Object(words), Json::Object(better)) => {
            better.into_iter().for_each(|(name, better)| put_over(words.entry(name).or_insert(Json::Null), better));
        }
        (words, better) => *words = better,
    }
}

/// Returns the content of a file in the format gzip, whose last four bytes are the length of the content.
fn decompress(package: &[u8]) -> Option<Vec<u8>> {
    let length = u32::from_le_bytes(*package.last_chunk()?) as usize;
    let mut archive = vec![0; Some(length).filter(|length| *length <= MAX_UNPACKED)?];
    let written = Decompressor::new().gzip_decompress(package, &mut archive).ok()?;
    archive.truncate(written);
    Some(archive)
}

/// Returns a file of an archive in the format ustar: a block with its name and its length in octal digits, then its bytes.
fn entry<'a>(archive: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let text = |field: &'a [u8]| str::from_utf8(field).ok()?.split('\0').next();
    let mut rest = archive;
    while let Some((head, after)) = rest.split_at_checked(BLOCK) {
        let length = usize::from_str_radix(text(&head[124..136])?.trim(), 8).ok()?;
        let (bytes, _) = after.split_at_checked(length)?;
        if text(&head[..100])? == name {
            return Some(bytes);
        }
        rest = after.get(length.next_multiple_of(BLOCK)..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use contract::Locale;

    use super::*;

    #[test]
    fn package_that_is_not_the_expected_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(PACKAGE);
        let missing = Bundle::load([path.clone()]).unwrap_err();
        assert_eq!(missing, messages::editor_package_missing(VERSION));
        fs::write(&path, "no archive").unwrap();
        let error = Bundle::load([path.clone()]).unwrap_err();
        assert_eq!(error, messages::editor_package_other(path.display(), VERSION));
        assert!(error[Locale::En].contains("npm pack @sveltia/cms@0.221.1"));
    }

    #[test]
    fn better_words_are_put_over_those_of_the_package() {
        let package = br#"{"folders":"Dizinler","create":"Yeni","status":{"draft":"Taslak"}}"#;
        let words: Json = serde_json::from_slice(&turkish(package).unwrap()).unwrap();
        assert_eq!(words["folders"], "Klasörler");
        assert_eq!(words["create"], "Yeni");
        assert_eq!(words["status"]["draft"], "Taslak");
        assert_eq!(words["status"]["deploying"], "Yayımlanıyor");
        assert!(turkish(b"{").is_none());
    }

    #[test]
    fn part_that_the_package_lacks_or_repeats_is_an_error() {
        let parts = [("a", "b")];
        assert_eq!(replaced("xa".to_owned(), &parts).unwrap(), "xb");
        for text in ["x", "aa"] {
            assert_eq!(replaced(text.to_owned(), &parts), Err(messages::editor_package_incomplete("a")));
        }
    }

    #[test]
    fn broken_archive_has_no_entries() {
        let mut block = [0_u8; 3 * BLOCK];
        block[..1].copy_from_slice(b"a");
        block[124..129].copy_from_slice(b"00003");
        block[BLOCK..BLOCK + 3].copy_from_slice(b"xyz");
        assert_eq!(entry(&block, "a"), Some(&b"xyz"[..]));
        assert_eq!(entry(&block, "b"), None);
        block[124..135].copy_from_slice(b"77777777777");
        assert_eq!(entry(&block, "a"), None);
        assert!(decompress(b"").is_none() && decompress(&[0xff; 64]).is_none());
    }
}
