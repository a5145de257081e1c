//! E03xx: links and text.

super::codes! { TEXT:
    LINK_TO_NOTHING = Error "E0301" "link to an entry that does not exist"
        "A link `@/kind/key` names a folder: `@/practice-areas/tax` is content/practice-areas/tax/.";
    LINK_KIND = Error "E0302" "link to an unknown kind of entry"
        "Links of the form `@/kind/key` lead to practice-areas, team, publications and pages. Firms of the network and \
         the contact entry have no page of their own: link to `@/pages/global-network` or `@/pages/contact`.";
    LINK_ANCHOR = Error "E0303" "link to a heading that does not exist"
        "An anchor comes from a heading: lower case, Turkish letters in ASCII form, words joined by hyphens. The \
         heading was renamed, or is a different one in this language.";
    LINK_OTHER_LANGUAGE = Error "E0304" "link to an entry that does not exist in this language"
        "A link `@/kind/key` leads to the page in the language of the text. If the entry exists in the other language \
         only, link to its address instead, such as `/tr/yayinlar/…`, and say which language it is in.";
    LINK_NOT_PUBLISHED = Error "E0305" "link to an entry that is not published"
        "The entry is a draft, waits for its `publish` moment or has expired; readers would find nothing there.";
    LINK_ADDRESS = Error "E0306" "link to an address that does not exist"
        "Addresses that start with `/` are those of this site, and the build knows all of them. To an entry it is \
         better to write `@/kind/key`, which still works if the slug changes. The archive of a year or of a category is \
         there while it lists an article that is published.";
    LINK_FORM = Error "E0307" "link leads nowhere"
        "A link is `https://…`, `mailto:…`, `tel:…`, `@/kind/key`, an address of this site that starts with `/`, a \
         heading `#…` or a file beside the text. In a web address, brackets are written %5B and %5D, and `%` itself \
         %25.";
    PICTURE_WITHOUT_ALT = Error "E0308" "picture without a description"
        "Between the brackets of `![…](file)`, say what the picture shows, for those who cannot see it.";
    PICTURE_NOT_FOUND = Error "E0309" "picture or file is not beside the text"
        "A picture must be in the folder of the text that shows it, and is named by its file name.";
    FIRST_LEVEL_HEADING = Error "E0310" "first-level heading in the text"
        "The title of the front matter is the page's only first-level heading. Sections start at `##`.";
    SKIPPED_LEVEL = Error "E0311" "heading skips a level"
        "People who use a screen reader navigate by headings; a section of level three belongs inside one of level \
         two.";
    RAW_HTML = Error "E0312" "HTML in the text"
        "The text is Markdown and is also published as such; a page would show HTML tags literally. Put them in \
         backticks if they are meant to be read.";
    EMPTY_TEXT = Error "E0313" "entry has no text"
        "A page of this kind would be empty. Write a text below the front matter.";
    FOOTNOTE_UNDEFINED = Error "E0314" "footnote without a text"
        "The mark `[^name]` needs a line that starts with `[^name]:`.";
    PICTURE_ELSEWHERE = Error "E0315" "picture from another site"
        "Pages fetch nothing from other sites, so that nobody can observe their readers. Put the file beside the \
         text.";
    FILE_ELSEWHERE = Error "E0316" "file from another folder"
        "A text shows only files from its own folder, so that an entry can be moved or deleted as a whole.";
    REFERENCE_UNDEFINED = Error "E0317" "reference without a destination"
        "The link `[text][name]` needs a line `[name]: destination`.";
    FOOTNOTE_TWICE = Error "E0318" "footnote has two texts"
        "Only the first text `[^name]:` of a footnote would be shown. Give the second one a name of its own.";
    INVISIBLE = Error "E0319" "invisible character in the text"
        "The character is invisible, yet it changes the direction of the line, or what programs and language models \
         read. It usually comes with a copied passage; type the words around it again.";
    CREDENTIAL = Error "E0320" "credential that is not the published key"
        "After `Bearer` or `X-Api-Key:` an example shows the `sandbox_key` of site.toml, which everybody may use, or \
         a placeholder. Anything else is either a key that does not work, or one that does and must not be \
         published.";
    NETWORK_TEXT = Error "E0321" "heading or footnote in the text on a firm of the network"
        "The texts on all firms of the network are on one page: a heading would end its firm's section, and \
         footnotes of two texts would have the same number. One or two sentences are enough; link to a page for \
         more.";
    REFERENCE_TWICE = Error "E0322" "reference has two destinations"
        "Only the first line `[name]: destination` of a name counts. Give the second one a name of its own.";
    TABLE = Error "E0323" "table that would not be shown completely"
        "The header of a table determines how many columns it has; the line of hyphens below it must have as many \
         cells, and there must be an empty line above it. Cells beyond the last column would not be shown. A `|` \
         that does not end a cell is written `\\|`.";
    CODE_NOT_CLOSED = Error "E0324" "code that is never closed"
        "Code between fences ends with a line of the same marks, as many or more, with nothing after them, and as \
         far from the margin. Without that line everything that follows is code: the rest of the page, and whatever \
         programs read after it.";
    HEADING_WITHOUT_WORDS = Error "E0325" "heading without words"
        "Headings are read aloud, and listed above the text, by their words; a picture or a footnote reference has \
         none. Write what the section is about, or remove the marks.";
    HIDDEN_NOTE = Error "E0326" "words that only programs read"
        "A definition that nothing refers to is not shown on the page, but it is in the page's Markdown, which \
         everybody may read and language models do read: a comment such as `[//]: # (words)`, or what is left of a \
         link with a title. A line `# …` in the front matter is a note that is not published.";
    LINK_WITHOUT_TLS = Warning "W0301" "link with http://"
        "Connections should be private; nearly every site can be reached by `https://`.";
    LINK_REDIRECTS = Warning "W0302" "link by another address than the present one"
        "The address redirects: link to where it leads. Or it contains this site's host, which would lead out of a \
         copy of the site that is built for another host: begin with the `/` after the host.";
    FOOTNOTE_UNUSED = Warning "W0303" "footnote that nothing refers to"
        "The footnote is not shown, because the text contains no mark `[^name]`.";
    LINK_EXPIRES = Warning "W0304" "link to something that will not be there"
        "At some point the link will lead nowhere, and the build will refuse it: when the other entry expires, or \
         when this one appears while the other is a draft, waits for a later day or has already expired. The archive \
         of a year or of a category is there while it lists an article. `--drafts` includes entries that have expired, \
         so links to them are reported, in drafts too. Links to security.txt are reported, and not refused, while its \
         contact has expired.";
    LINK_WITHOUT_TEXT = Warning "W0305" "link without words"
        "A link is read aloud by its words: `[words](destination)`.";
    ORDINAL_AS_LIST = Warning "W0306" "ordinal that starts a list, or is shown as another number"
        "A number with a full stop at the start of a paragraph or of a list item starts a numbered list: `5. maddeye \
         göre` is shown as the fifth item of a list, or as the second if it follows another item. Items are counted on \
         from the first number, whatever the other numbers say. With a backslash it stays in the sentence: `5\\. \
         maddeye göre`.";
    NOT_A_LINK = Warning "W0307" "what looks like a link is shown as text"
        "A link is `[words](address)`: first the brackets, then the parentheses, and nothing between them. Its words \
         must not contain a footnote or another link.";
    NOT_A_HEADING = Warning "W0308" "what looks like a heading is shown as text"
        "There must be an ordinary space between the marks of a heading and its words, as in `## Words`, not the \
         no-break space (U+00A0) that other programs put in its place. Marks that begin a sentence take a backslash: \
         `\\#`.";
    NOT_A_LIST = Warning "W0309" "what looks like a list or a table is shown as text"
        "The items of a list begin with `- ` or `1. `, with an ordinary space, after an empty line. Lines that begin \
         with other marks (`•`, `a)`, `(1)`, `1-`), or without a space after the mark, run together into one paragraph; \
         so do lines pasted from a spreadsheet, whose cells are separated by tabs. To keep lines of a paragraph apart, \
         end each with a backslash. A list has no boxes: after `- `, the page shows `[ ]` and `[x]` as they are written, \
         while some readers of its Markdown show a box.";
    INDENTED_CODE = Warning "W0311" "text is shown as code"
        "Four spaces or a tab at the start of a paragraph turn it into code. Remove them; if it is meant as code, \
         put it between two lines of three backticks. Two backticks typed for apostrophes inside words turn what is \
         between them into code: ``TTK`nın ve HMK`nın``.";
    ROW_WITHOUT_BARS = Warning "W0313" "line below a table is a row of it"
        "A table ends at an empty line. A line directly below the table is its next row, even without a `|`.";
    NOT_EMPHASIS = Warning "W0315" "what looks like emphasis is shown with its marks"
        "Emphasis begins and ends at a word, without a space just inside, and cannot end between a punctuation mark \
         such as `”` or `)` and a letter: `**“önemli”**dir` is shown with its asterisks. Put the suffix inside, \
         `**“önemli”dir**`, or separate it with `’`: `**Kanun (TBK)**’nun`. With underscores, emphasis cannot end inside \
         of a word: instead of `__TBK__nın`, write `**TBK**nın`. An asterisk that is to be shown is written `\\*`.";
    LIST_CUT = Warning "W0316" "numbered list that is cut in two"
        "What belongs to an item is indented to where the words of the item begin: three spaces after `1. `, four after \
         `10. `. With fewer spaces it is outside, the list ends above it, and what follows is another list.";
    NOT_EMPTY = Warning "W0317" "line that looks empty"
        "A line that contains only another kind of space (U+00A0, `&nbsp;`), as word processors write it, ends neither \
         a paragraph nor a table: what is above and below it becomes one, or an empty paragraph appears between.";
    SOURCE_QUOTED = Warning "W0318" "source that is shown as quoted words"
        "The source of a quotation is its last paragraph, which begins with `— `. Without a line with `>` alone above it, \
         it is not a paragraph of its own and is read as the end of the quoted words.";
    UNDERLINED = Warning "W0319" "line of hyphens that makes a heading"
        "A line of hyphens directly below a paragraph turns the whole paragraph into a heading. An empty line above the \
         hyphens makes a horizontal line; a heading is written `## Words`.";
}
