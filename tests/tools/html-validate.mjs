// The recommended rules of html-validate, with two reasons to differ.

export default {
  root: true,
  extends: ['html-validate:recommended'],
  elements: ['html5'],
  rules: {
    // HTML lets an identifier begin with a digit, and a numbered heading is best found under its own words.
    'valid-id': ['error', { relaxed: true }],
    // The limit is about how much a list of search results shows; the title of an article is its author's.
    'long-title': 'off',
  },
};
