// The recommended rules of html-validate, with exceptions, each for a reason.

export default {
  root: true,
  extends: ['html-validate:recommended'],
  elements: ['html5'],
  rules: {
    // HTML lets an identifier begin with a digit, and a numbered heading is easiest to find under its own words.
    'valid-id': ['error', { relaxed: true }],
    // The limit is about how much a list of search results shows; an article's title is up to its author.
    'long-title': 'off',
    // Safari takes a list without marks for none unless it has the role.
    'no-redundant-role': 'off',
    'prefer-native-element': ['error', { exclude: ['list'] }],
  },
};
