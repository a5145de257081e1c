//! E02xx: what front matter refers to.

super::codes! { REFERENCES:
    UNKNOWN_AUTHOR = Error "E0201" "author is not in the team"
        "`author` names the folder of a person below content/team/.";
    UNKNOWN_CATEGORY = Error "E0202" "category is not in site.toml"
        "`category` names the `key` of a [[category]] in content/site.toml.";
    UNKNOWN_PRACTICE_AREA = Error "E0203" "practice area does not exist"
        "A practice area is named by its folder below content/practice-areas/.";
    FILE_NOT_FOUND = Error "E0204" "file is not there"
        "A picture is named by its file name and must be in the folder of the text that shows it.";
    FILE_TYPE = Error "E0205" "type of file is not accepted"
        "Pictures are published as svg, png, jpg, webp or avif, with the extension in lower case.";
}
