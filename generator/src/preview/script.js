// Reloads the page when it changes. The attributes of the script element identify the page.
const { version, print, path } = document.currentScript.dataset;
let news;
// A browser limits connections to one server, so hidden pages close theirs. Changes in the meantime arrive with the next
// connection.
const listen = () => {
  news?.close();
  if (document.hidden) return;
  news = new EventSource(`/_preview/events?${new URLSearchParams({ version, print, path })}`);
  news.onmessage = () => {
    news.close();
    location.reload();
  };
};
if (window === window.top || path.startsWith('/_preview')) {
  document.addEventListener('visibilitychange', listen);
  listen();
}
