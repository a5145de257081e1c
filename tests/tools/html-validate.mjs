// The recommended rules of html-validate, with exceptions, each for a reason.

export default {
  root: true,
  extends: ['html-validate:recommended'],
  elements: ['html5'],
  rules: {
    // HTML lets an identifier begin with a digit, and a numbered heading is easiest to find under its own words.
    'valid-id': ['error', { relaxed: true }],
    // The limit is for lists of search results; authors choose the titles of articles.
    'long-title': 'off',
    // Safari does not treat a list without marks as a list unless it has the role.
    'no-redundant-role': 'off',
    'prefer-native-element': ['error', { exclude: ['list'] }],
  },
};
