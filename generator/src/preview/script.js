// Shows the page again when it changes. What the page is, the server said in the attributes of this element.
const { version, print, path } = document.currentScript.dataset;
if (window === window.top || path.startsWith('/_preview')) {
  const news = new EventSource(`/_preview/events?${new URLSearchParams({ version, print, path })}`);
  news.onmessage = () => {
    news.close();
    location.reload();
  };
}
