//! E01xx: fields of front matter and of `site.toml`.

super::codes! { FIELDS:
    MISSING_FIELD = Error "E0101" "required field is missing"
        "Every kind of entry has fields without which its page cannot be written; docs/editors.md lists them. A \
         field marked as shared may be given in either of the two language files.";
    NO_FRONT_MATTER = Error "E0102" "file does not start with front matter"
        "The first line of a text is `---`. The fields follow, one per line, then a second line `---`, then the \
         text.";
    FRONT_MATTER_NOT_CLOSED = Error "E0103" "front matter is not closed"
        "The fields end with a line that consists of exactly three hyphens. Without it the whole file would be read \
         as fields.";
    YAML_SYNTAX = Error "E0104" "front matter cannot be read as YAML"
        "A field is written `name: value`. A value that contains a colon followed by a space, or that starts with a \
         quotation mark, a bracket, `@`, `&`, `*`, `!`, `%`, `#` or a backtick, needs quotation marks around it.";
    TAB = Error "E0105" "tab in front matter"
        "YAML indents with spaces only; a tab at the start of a line makes the fields unreadable. Replace it with \
         two spaces, or remove it if nothing is to be indented. After the colon of a field there must be a space.";
    FIELD_TWICE = Error "E0106" "field is given twice"
        "A field may be given only once in a file; if it has two values, nobody knows which is right. Remove one of \
         the lines.";
    UNKNOWN_FIELD = Error "E0107" "unknown field"
        "Only the fields of the entry's kind are read, and a misspelt one would be ignored without a warning. \
         docs/editors.md lists the fields of every kind.";
    SHARED_FIELD_DIFFERS = Error "E0108" "shared field differs between the two languages"
        "A fact such as a date or an e-mail address is the same in both languages. It may be given in one file, and \
         the other inherits it; if it is given in both, both must agree.";
    WRONG_SHAPE = Error "E0109" "value does not have the shape that the field takes"
        "A field takes one value, a list such as `[a, b]` or a group of fields such as `{ days: [mon], opens: \"09:00\" }`. \
         The message says which one is expected.";
    NO_VALUE = Error "E0110" "field has no value"
        "The field's name is there, but nothing follows it. Write a value, or remove the line if the field is \
         optional. A value that starts with `#` is taken for a comment: put it in quotation marks.";
    BAD_SLUG = Error "E0111" "slug does not have the right form"
        "A slug is the last part of an address: lower-case letters a-z, digits and single hyphens, at most 80 \
         characters. Turkish letters are written in their ASCII form, so that an address reads the same everywhere.";
    BAD_DATE = Error "E0112" "not a calendar date"
        "A date is written year-month-day with leading zeros, such as 2026-03-09, and must exist in the calendar.";
    BAD_MOMENT = Error "E0113" "not a moment in time"
        "A moment is a date, a time and the offset from UTC, such as 2026-12-01T09:00:00+03:00. Without the offset \
         it would mean something else on another machine.";
    BAD_EMAIL = Error "E0114" "not an e-mail address"
        "An e-mail address has a name, an @ and a domain with a dot, all in ASCII.";
    BAD_URI = Error "E0115" "not a web address"
        "An address is absolute, starts with https:// and contains no space; its host is in ASCII (`xn--…`), as \
         copied from the browser's address bar. After the host, brackets and characters outside ASCII are \
         percent-encoded (`[` is %5B), `%` itself is written %25, and there is one `#` at most.";
    BAD_TELEPHONE = Error "E0116" "not a telephone number in E.164 form"
        "A telephone number is written as + and digits only, beginning with the country code, such as +902125550101. \
         Programs dial it; `telephone_display` in the contact entry is for people.";
    BAD_INTEGER = Error "E0117" "not a whole number"
        "The field takes digits, with a minus sign if necessary, and no quotation marks, fractions or separators.";
    BAD_BOOLEAN = Error "E0118" "neither true nor false"
        "The field takes `true` or `false`, in lower case and without quotation marks.";
    NOT_ONE_OF = Error "E0119" "value is not one of the allowed words"
        "The field takes one of a few fixed words, which the message lists.";
    BAD_LANGUAGE = Error "E0120" "unknown language code"
        "A language is named by its ISO 639 code in lower case, such as `tr`, `en` or `de`; its name is written by the \
         build in the language of each page.";
    BAD_COUNTRY = Error "E0121" "unknown country code"
        "A country is named by its ISO 3166-1 code of two capital letters, such as `DE`; its name is written by the \
         build in the language of each page.";
    BAD_TIME = Error "E0122" "not a time of day"
        "A time is written with two digits each for hours and minutes, such as \"09:00\".";
    TOO_LONG = Error "E0123" "value is too long"
        "The value would not fit where it is shown: in lists, search results and answers of the API. Shorten it; \
         explanations belong in the text.";
    CONTROL_CHARACTER = Error "E0124" "value contains an invisible character"
        "Line breaks and control characters have no place in a line of text, and characters that change the \
         direction of writing can make it say something other than what is shown. Type the value again.";
    YAML_FEATURE = Error "E0125" "feature of YAML that front matter does not take"
        "Anchors (&), aliases (*) and tags (!) are not allowed here. If the value is meant to start with one of \
         these characters, put it in quotation marks.";
    MORE_DOCUMENTS = Error "E0126" "more than one YAML document"
        "The fields are one document; a line `...` or a second `---` among them starts another. Remove it.";
    TOO_DEEP = Error "E0127" "values are nested too deeply"
        "No field needs more than a list or a group of fields; the limit is eight levels.";
    FRONT_MATTER_TOO_LARGE = Error "E0128" "front matter is too large"
        "The fields of an entry fit on a page; the limit is 64 KiB. Probably the line that closes the fields is \
         missing.";
    FIELD_NOT_HERE = Error "E0129" "field does not belong to this page"
        "The home page has the address of its language, and the page for unknown addresses has none: neither of them \
         takes a slug or former slugs.";
    EXPIRES_TOO_EARLY = Error "E0130" "entry expires before it is published"
        "`expires` must be later than `publish`; otherwise the entry would never be published.";
    PORTRAIT_ALT = Error "E0131" "portrait and its description do not go together"
        "A picture needs a description in each language, for those who cannot see it, and a description needs a \
         picture.";
    ITEM_TWICE = Error "E0132" "item is in the list twice"
        "Each item may be listed only once; remove the repeated one.";
    HOURS_ORDER = Error "E0133" "office closes before it opens"
        "`opens` must be earlier than `closes` on the same day.";
    BAD_TIME_ZONE = Error "E0134" "not the name of a time zone"
        "A time zone has the name that the IANA database gives it, by area and city: `Europe/Istanbul`.";
    MARKUP_IN_PLAIN_TEXT = Error "E0135" "markup in plain text"
        "Titles, names and summaries are plain text: a page would show markup literally, and in the Markdown that \
         programs read it would take effect, so that a title could lead elsewhere.";
    DESCRIPTION_LENGTH = Warning "W0101" "description is shorter or longer than search results show"
        "A page's description has 50 to 160 characters: shorter ones say too little, longer ones are cut off.";
    DECOMPOSED_LETTERS = Warning "W0103" "letters are written with separate accents"
        "The value or the text contains a letter and its accent as two characters, as some programs save and copy \
         them. It looks the same, but searching and sorting miss it. Type the word again.";
    DATE_IN_FUTURE = Warning "W0104" "date is in the future"
        "A date says when something happened. To hold a publication back until a certain day, use `publish`.";
    UPDATED_BEFORE_DATE = Warning "W0105" "last review is earlier than the publication"
        "`updated` is the day of the last review, which is normally not earlier than `date`.";
    VALUE_CUT_OFF = Warning "W0106" "value ends before a `#`"
        "In YAML a `#` after a space starts a comment: `Decision no. #12` is read as `Decision no.` Put the whole \
         value in quotation marks. If a comment is meant, put a space after the `#`.";
    OTHER_TELEPHONE = Warning "W0107" "telephone number that is shown is a different one"
        "`telephone_display` is `telephone` as people read it: with spaces and brackets, with or without the country \
         code. Its digits must be the same.";
    BOTH_HELD_BACK = Warning "W0108" "one language's file holds back both"
        "`draft`, `publish` and `expires` are the same in both languages: written in one file, they keep the whole \
         entry out of the build, even a text that has been published for long. If both are to be held back, write \
         the line in both files. A translation that is not ready is kept outside of content/ until it is.";
}
