// Suggests pages while a reader types into a search form. It requests the page of the form, so that both show the same pages
// in the same order. Without this script, or without a response, the form works as before.
//
// The field is a combobox with a list, as the Authoring Practices of WAI-ARIA describe it: the focus stays in the field.

/** Milliseconds without a key before a request. */
const PAUSE = 250;
/** Minimum number of letters and digits. */
const LETTERS = 2;
/** Maximum number of suggestions. */
const OFFERED = 6;
/** Requests of the limit that are reserved for the form. */
const RESERVE = 10;

for (const form of document.querySelectorAll('form.search')) {
  const field = form.elements.q;
  const list = element('div', 'offers', 'listbox');
  const status = element('p', 'visually-hidden', 'status');
  let timer;
  let request;
  let active = -1;
  /** No request is sent before this time. */
  let resumes = 0;

  list.id = `${field.id}-offers`;
  list.hidden = true;
  list.setAttribute('aria-label', form.getAttribute('aria-label'));
  field.setAttribute('role', 'combobox');
  field.setAttribute('aria-autocomplete', 'list');
  field.setAttribute('aria-controls', list.id);
  form.append(list, status);
  close();

  field.addEventListener('input', () => {
    stop();
    choose(-1);
    if ((field.value.match(/[\p{L}\p{N}]/gu) ?? []).length < LETTERS) clear();
    else timer = setTimeout(suggest, PAUSE);
  });
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const count = list.children.length;
    const isOpen = !list.hidden;
    if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'Enter' && isOpen && active >= 0) go(list.children[active]);
    else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && count) {
      open();
      // The field is one of the stops of the arrow keys.
      if (!event.altKey) choose(((active + (event.key === 'ArrowDown' ? 2 : count + 1)) % (count + 1)) - 1);
    } else return choose(-1);
    event.preventDefault();
  });
  form.addEventListener('submit', stop);
  field.addEventListener('blur', () => {
    stop();
    close();
  });
  // Pressing an option does not move the focus.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', (event) => {
    const option = event.target.closest('[role=option]');
    if (option) go(option);
  });

  async function suggest() {
    const words = field.value.trim();
    if (Date.now() < resumes) return clear();
    request = new AbortController();
    const { signal } = request;
    try {
      const response = await fetch(`${form.action}?${new URLSearchParams({ q: words })}`, { signal });
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      pauseNearLimit(response.headers);
      const found = page.querySelector('.found');
      // A host without search returns the page without results, now and later.
      if (response.ok && !found) resumes = Infinity;
      if (signal.aborted) return;
      clear();
      if (response.ok && found) offer(page.querySelectorAll('.hits > li'), found.textContent);
    } catch {
      // Offline, or while the reader continues to type, nothing is shown.
      if (!signal.aborted) clear();
    }
  }

  /** Pauses requests if only few of the limit remain. */
  function pauseNearLimit(headers) {
    const [, left, wait] = /r=(\d+);t=(\d+)/.exec(headers.get('RateLimit')) ?? [];
    if (left < RESERVE) resumes = Date.now() + 1000 * Math.max(wait, headers.get('Retry-After'));
  }

  function offer(hits, sentence) {
    for (const hit of [...hits].slice(0, OFFERED)) {
      const link = hit.querySelector('h2 a');
      const option = element('div', '', 'option');
      const title = element('span', 'name');
      const about = element('span', 'about');
      title.textContent = link.textContent;
      title.lang = link.lang;
      about.textContent = hit.querySelector('.about').textContent;
      option.id = `${list.id}-${list.children.length}`;
      option.dataset.path = link.getAttribute('href');
      option.append(title, ' ', about);
      list.append(option);
    }
    choose(-1);
    status.textContent = sentence;
    if (list.children.length) open();
  }

  function open() {
    list.hidden = false;
    field.setAttribute('aria-expanded', 'true');
  }

  function close() {
    choose(-1);
    list.hidden = true;
    field.setAttribute('aria-expanded', 'false');
  }

  /** Cancels the waiting or running request. */
  function stop() {
    clearTimeout(timer);
    request?.abort();
  }

  /** Removes the suggestions. */
  function clear() {
    close();
    list.replaceChildren();
    status.textContent = '';
  }

  function choose(at) {
    active = at;
    for (const [index, option] of [...list.children].entries()) option.setAttribute('aria-selected', index === at);
    const option = list.children[at];
    option?.scrollIntoView({ block: 'nearest' });
    if (option) field.setAttribute('aria-activedescendant', option.id);
    else field.removeAttribute('aria-activedescendant');
  }

  function go(option) {
    close();
    location.assign(option.dataset.path);
  }
}

function element(name, className, role) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (role) made.setAttribute('role', role);
  return made;
}
