//! E06xx: files and folders.

super::codes! { FILES:
    NO_CONTENT = Error "E0601" "content folder is not there"
        "The folder given as `--content` does not exist or is not a folder.";
    UNKNOWN_FOLDER = Error "E0602" "unknown folder"
        "The folders in content/ are practice-areas, team, publications, network, contact and pages. Anything in \
         another folder would be left out without a warning.";
    BAD_KEY = Error "E0603" "name of a folder cannot be a key"
        "An entry's key is its folder's name: lower-case letters a-z, digits and single hyphens, at most 80 characters.";
    UNKNOWN_TEXT = Error "E0604" "text is in no known language"
        "The texts of an entry are `en.md` and `tr.md`, in lower case; another Markdown file would never be published.";
    NOT_UTF8 = Error "E0605" "file is not UTF-8"
        "Texts are saved in UTF-8. Turkish letters in older encodings (Windows-1254, ISO 8859-9) would be shown \
         wrongly. Open the file in its own encoding and save it as UTF-8.";
    NUL = Error "E0606" "file holds a NUL character"
        "The file is not a text, has been damaged, or was saved as UTF-16. Save it as UTF-8.";
    BYTE_ORDER_MARK = Error "E0607" "file starts with a byte order mark"
        "The invisible mark hides the first line from programs. Save the file as \"UTF-8\", not as \"UTF-8 with BOM\".";
    WINDOWS_LINES = Error "E0608" "file has Windows line endings"
        "Lines end with a line feed alone, so that a file has the same bytes on every machine. Set your editor to \
         LF; in git, a line `* text=auto eol=lf` in .gitattributes does it for everyone.";
    TOO_LARGE = Error "E0609" "file is too large"
        "A text may have at most 1 MiB, a picture at most 8 MiB and 32768 pixels on either side. Split the text, or make \
         the picture smaller.";
    SYMBOLIC_LINK = Error "E0610" "symbolic link"
        "Content consists of files and folders; a link could lead out of the folder and publish something that \
         should not be.";
    NOT_READABLE = Error "E0611" "file cannot be read"
        "The operating system refused to read the file; the message says why.";
    NO_ENTRY = Error "E0612" "required entry is not there"
        "Every site needs the contact entry and each of the fixed pages; docs/editors.md lists them.";
    NO_TRANSLATION = Error "E0613" "translation is missing"
        "Practice areas, people, firms of the network, pages and contact must exist in both languages, because both \
         sites list the same ones. A publication may exist in only one.";
    NAME_NOT_UTF8 = Error "E0614" "name of a file is not UTF-8"
        "The name cannot be written as text, so nothing can refer to the file. Rename it.";
    UNKNOWN_PAGE = Error "E0615" "unknown page"
        "The folders below content/pages/ are fixed, because templates and links rely on them.";
    MISPLACED_TEXT = Error "E0616" "text is in the wrong folder"
        "Every entry has a folder of its own: content/team/elif-sayginer/en.md. Only the contact entry is directly \
         in content/contact/.";
    INCOMPLETE = Error "E0617" "site could not be put together"
        "The files were read, but something that the site needs is still missing. This is a fault in the program; \
         please report it.";
    PICTURE_ACTS = Error "E0618" "picture does more than show"
        "An SVG picture contains a script, a link, something loaded from elsewhere, letters of a style written as \
         escapes, which could hide such things, or elements of a web page or of a language other than SVG (by their \
         namespace), which a browser may act on. The notes that the common drawing programs leave may stay, and so \
         may the W3C's line `<!DOCTYPE svg PUBLIC …>`. The picture's address can be opened like a page of the site, \
         so the picture must do nothing but show. Export it again as a plain SVG, or as a PNG.";
    PICTURE_FORM = Error "E0619" "file is not the kind of picture that its name says"
        "The address of a picture answers with the type that the file's extension names. Not every browser shows a \
         file of another type, and a web page under the name of a picture must not be published at all. An SVG \
         picture is XML: without its namespace, or if an element is not closed, readers see a broken picture.";
    NAME_DECOMPOSED = Error "E0620" "name of a file is not in Unicode form NFC"
        "Some systems save a letter and its accent as two characters. Such a name looks the same as the one in a \
         text, but is a different one.";
    CONFLICT = Error "E0622" "git conflict"
        "Two versions of the file were merged, and git left both of them between marker lines: `<<<<<<<`, `=======` \
         and `>>>>>>>`. Keep one side, or what is right in each, and remove the markers. Code between closed fences \
         may show them.";
    UNKNOWN_FILE = Warning "W0601" "file is not used"
        "Beside the two texts an entry's folder holds pictures (svg, png, jpg, webp, avif). Other files are not published.";
    PICTURE_NOT_USED = Warning "W0602" "picture is not shown anywhere"
        "No text of the folder shows the picture, so it is not published.";
    CONTACT_TEXT = Warning "W0603" "text of the contact entry is not published"
        "The contact entry consists of its fields. Text for the contact page belongs in content/pages/contact/.";
    NO_TEXTS = Warning "W0604" "folder holds no text"
        "The folder has neither `en.md` nor `tr.md`, so there is no entry.";
}
