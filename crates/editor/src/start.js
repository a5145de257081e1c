// The labels of the fields are in the language of the interface: the one that the person chose, otherwise that of the browser.
const languages = [...navigator.languages];
try {
  languages.unshift(JSON.parse(localStorage.getItem('sveltia-cms.prefs'))?.locale ?? '');
} catch {
  // Without storage, only the browser counts.
}
const language = languages.map((tag) => tag.slice(0, 2)).find((tag) => ['tr', 'en'].includes(tag)) ?? 'en';
document.documentElement.lang = language;
const link = document.createElement('link');
link.rel = 'cms-config-url';
link.type = 'application/json';
link.href = `/admin/config.${language}.json`;
document.head.append(link);
