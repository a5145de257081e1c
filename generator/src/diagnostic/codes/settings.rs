//! E05xx: `site.toml`.

super::codes! { SETTINGS:
    NO_SETTINGS = Error "E0501" "site.toml is not there"
        "content/site.toml says who the firm is and what the service offers; docs/editors.md lists its keys.";
    TOML_SYNTAX = Error "E0502" "site.toml cannot be read as TOML"
        "A line is `key = value`, texts are in quotation marks, and `[name]` starts a group.";
    BAD_ORIGIN = Error "E0503" "not the origin of a site"
        "The site's address is a scheme and a host in lower case, without a path and without a slash at the end, such \
         as https://firm.example. Every published address starts with it.";
    SECURITY_TOO_FAR = Error "E0505" "security contact expires in more than a year"
        "RFC 9116 recommends confirming the contact at least once a year.";
    NOTHING_OFFERED = Error "E0506" "registration type that offers nothing"
        "A registration type in `identity_types` needs at least one kind of credential, and identity assertions need \
         at least one accepted type.";
    CATEGORY_TWICE = Error "E0507" "category is defined twice"
        "Front matter refers to a category by its key, so each key may be defined only once.";
    BAD_SANDBOX_KEY = Error "E0508" "sandbox key does not have the right form"
        "The published key consists of 8 to 128 letters, digits, hyphens and underscores, and does not start like an \
         issued credential (`at_`, `ak_`).";
    BAD_SECURITY_CONTACT = Error "E0509" "not an address for reports"
        "The security contact is `mailto:` and an e-mail address, or an https:// address.";
    BAD_MCP_NAME = Error "E0510" "name of the MCP server does not have the right form"
        "The name is the site's domain in reverse, a slash and a word, such as `example.firm/content`.";
    ORIGIN_WITHOUT_TLS = Warning "W0501" "site's address does not start with https"
        "Except at a machine's own loopback address, the service needs https, since credentials are sent over the \
         connection.";
    SECURITY_EXPIRES = Warning "W0502" "security contact has to be confirmed"
        "According to RFC 9116, security.txt is valid only until the day it expires, after which the build leaves it \
         out. Confirm that the contact is right and write a later day.";
}
