// The request fields `Accept` and `If-None-Match` (RFC 9110, 12.5.1 and 13.1.2), read as the sidecar reads them.

/** Media types that a host compresses. */
export const COMPRESSIBLE = /^(?:text\/|image\/svg\+xml|application\/(?:json|xml)|[^;]+\+(?:json|xml))/;

/**
 * Returns `html` or `markdown` for a page, or null if neither is acceptable. Markdown is chosen if the field names it with
 * at least the weight of HTML. The result is `otherwise` if the field is absent, only has wildcards, or has no well-formed
 * element.
 */
export function acceptedMedium(accept, otherwise) {
  const html = best();
  let markdown = best();
  const unnamed = best();
  let isNamed = false;
  for (const { name, narrowed, quality } of elements(accept ?? '')) {
    const range = name.toLowerCase();
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+\/[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(range)) continue;
    isNamed = true;
    if (range === 'text/html') html.offer(narrowed ? 3 : 4, quality);
    else if (range === 'text/markdown' || range === 'text/x-markdown') markdown.offer(narrowed ? 3 : 4, quality);
    else if (range === 'text/*') unnamed.offer(2, quality);
    else if (range === '*/*') unnamed.offer(1, quality);
  }
  if (!isNamed) return otherwise;
  if (otherwise === 'markdown' && !markdown.specificity) markdown = unnamed;
  const wanted = html.specificity ? html.quality : unnamed.quality;
  if (markdown.quality > 0 && markdown.quality >= wanted) return 'markdown';
  if (wanted > 0) return 'html';
  return !markdown.specificity && unnamed.quality > 0 ? 'markdown' : null;
}

/** Returns whether the field accepts JSON: by name, or with a wildcard that includes it. */
export function acceptsJson(accept) {
  const accepted = elements(accept ?? '').filter(({ quality }) => quality > 0);
  return accepted.some(({ name }) => /^(?:application\/(?:json|\*)|\*\/\*)$/i.test(name));
}

/** Returns whether `If-None-Match` names the entity tag `tag`, by weak comparison; a malformed field names none. */
export function namesTag(field, tag) {
  if (field === null || !tag) return false;
  if (field.trim() === '*') return true;
  const strong = tag.replace(/^W\//, '');
  let rest = field;
  for (;;) {
    const found = /^[ \t,]*(?:W\/)?("[^"]*")/.exec(rest);
    if (!found) return false;
    if (found[1] === strong) return true;
    rest = rest.slice(found[0].length);
  }
}

/** The weight of the most specific range so far; among equally specific ones, the highest. */
function best() {
  return {
    specificity: 0,
    quality: 0,
    offer(specificity, quality) {
      if (specificity < this.specificity || (specificity === this.specificity && quality <= this.quality)) return;
      Object.assign(this, { specificity, quality });
    },
  };
}

/** Returns the elements of a list without those whose weight is malformed. */
function elements(field) {
  return split(field, ',').flatMap((text) => {
    const [name, ...parameters] = split(text, ';').map((part) => part.trim());
    if (!name) return [];
    const element = { name, narrowed: false, quality: 1 };
    for (const parameter of parameters.filter(Boolean)) {
      const weight = /^q=(.*)$/i.exec(parameter);
      if (weight) {
        if (!/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight[1])) return [];
        element.quality = Number(weight[1]);
      } else if (parameter.toLowerCase() !== 'charset=utf-8') {
        element.narrowed = true;
      }
    }
    return [element];
  });
}

/** Splits at every `separator` that is not inside a quoted string. */
function split(text, separator) {
  const parts = [''];
  let quoted = false;
  let escaped = false;
  for (const letter of text) {
    if (escaped) escaped = false;
    else if (quoted && letter === '\\') escaped = true;
    else if (letter === '"') quoted = !quoted;
    else if (letter === separator && !quoted) {
      parts.push('');
      continue;
    }
    parts[parts.length - 1] += letter;
  }
  return parts;
}
