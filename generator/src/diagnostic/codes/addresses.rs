//! E04xx: public addresses.

super::codes! { ADDRESSES:
    SLUG_TWICE = Error "E0401" "slug is used twice"
        "Within a section and a language every entry has a slug of its own, because it is the entry's address.";
    CATEGORY_SLUG = Error "E0402" "slug of a category cannot be used"
        "The archives of categories and of years have addresses side by side, so a category's slug must not be a \
         year, and no two categories may share one.";
    RESERVED_ADDRESS = Error "E0403" "address belongs to the service"
        "The service itself answers at this address. Choose another slug. A former slug cannot redirect from there: \
         remove it from `aliases`.";
    SLUG_IS_A_YEAR = Error "E0404" "slug of a publication is a year"
        "The section of publications keeps an archive for each year at /…/2026; a slug of four digits would hide it. A \
         former slug of four digits cannot redirect: remove it from `aliases`.";
    SLUG_IS_A_CATEGORY = Error "E0405" "slug of a publication is that of a category"
        "The section of publications keeps an archive for each category at its slug. Change the slug of the \
         publication; a former one cannot redirect: remove it from `aliases`.";
    ALIAS_IS_CURRENT = Error "E0406" "former slug is the current one"
        "`aliases` lists the slugs that the entry had before; the current one is not a former one: remove it from \
         the list.";
    ALIAS_TAKEN = Error "E0407" "former address belongs to another entry"
        "An address can lead to only one page. Remove the alias, or give the other entry another slug.";
}
