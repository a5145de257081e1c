// Shows the page again when it changes. What the page is, the server said in the attributes of this element.
const { version, print, path } = document.currentScript.dataset;
let news;
// A browser opens only a few connections to one server, so a page that is not visible keeps none. What changed meanwhile is
// told as soon as it asks again.
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
