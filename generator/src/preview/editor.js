// Shows the findings after each change, without a new page: the editor may contain what is not saved yet.
const bar = document.getElementById('preview-of-editor');
function listen() {
  const { version } = bar.firstElementChild.dataset;
  const news = new EventSource(`/_preview/events?${new URLSearchParams({ version, print: '', path: '/admin' })}`);
  news.onmessage = async () => {
    news.close();
    const isOpen = bar.querySelector('details').open;
    bar.innerHTML = await (await fetch('/_preview/editor')).text();
    // A list that was opened stays open while there is something in it.
    if (isOpen && bar.querySelector('li')) bar.querySelector('details').open = true;
    listen();
  };
}
listen();
