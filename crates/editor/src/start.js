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

// The replaced parts of the program call the functions of `window`, with its own objects.

/** By kind: the fields in the order of its files, and whether the files of both languages share them. */
const fieldsOf = {};
const kindOf = (collection, fileName) => fileName ?? collection.folder?.split('/').pop();

/** The form begins with what is needed every day; a file keeps its order. */
window.inFileOrder = (fields, collection, fileName) => {
  const names = Object.keys(fieldsOf[kindOf(collection, fileName)] ?? {});
  return fields.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
};

/** The shared facts that hold back both languages. Both files state them: a check warns of a file that holds back the other one. */
const HOLDING = ['draft', 'publish', 'expires'];

/** A language that is added to an entry begins with these facts only: the other ones are taken from the first file. */
window.beginLanguage = ({ currentValues, defaultLocale }, content) =>
  Object.assign({}, content, ...HOLDING.map((name) => (name in content ? { [name]: currentValues[defaultLocale]?.[name] ?? content[name] } : {})));

window.beforeSave = ({ originalValues, collection, fileName }, locales) => {
  const contents = Object.entries(locales).filter(([, { content }]) => content);
  for (const [, { content }] of contents) addPictures(content);
  const facts = Object.entries(fieldsOf[kindOf(collection, fileName)] ?? {}).filter(([, isShared]) => isShared);
  for (const [name] of facts) {
    for (const [from, { content }] of contents) {
      for (const [to, other] of contents) if (from !== to) carry(name, originalValues[from], content, originalValues[to], other.content);
    }
  }
};

// The form has a list of new pictures, which is no field of a file: each becomes a line at the end of the text beside which the editor
// puts it. Pictures that are chosen again and have a space in their names stand between `<` and `>`.
function addPictures(content) {
  for (let at = 0; content[`pictures.${at}.file`]; at++) {
    const [file, alt] = ['file', 'alt'].map((part) => content[`pictures.${at}.${part}`] ?? '');
    const [words, target] = [alt.replace(/[[\]\\]/g, '\\$&'), /\s/.test(file) ? `<${file}>` : file];
    content.body = `${(content.body ?? '').trimEnd()}\n\n![${words}](${target})`;
  }
  for (const [path] of partsOf(content, 'pictures')) delete content[path];
}

// A shared fact that a person changes in one form only changes in the other file too, if that states it: the files would differ otherwise.
function carry(name, before, now, otherBefore, otherNow) {
  const stated = (content) => JSON.stringify(partsOf(content, name).filter(([, value]) => value && JSON.stringify(value).length > 2));
  const none = stated({});
  if (stated(now) === stated(before) || stated(otherNow) !== stated(otherBefore)) return;
  if (stated(before) !== stated(otherNow) && stated(before) !== none) return;
  if (stated(otherNow) === none && !HOLDING.includes(name)) return;
  for (const [path] of partsOf(otherNow, name)) delete otherNow[path];
  Object.assign(otherNow, Object.fromEntries(partsOf(now, name)));
}

/** The value of a field, or its parts, by their paths. */
function partsOf(content, name) {
  return Object.entries(content ?? {}).filter(([path]) => path === name || path.startsWith(`${name}.`));
}

/** The texts that link to entries: these cannot be deleted. */
window.textsThatLink = (collection, deleted, entries, collectionOf, summaryOf) => {
  const keys = deleted.map(({ slug }) => slug).join('|');
  const link = new RegExp(`@/${kindOf(collection)}/(${keys})(?![\\w-])`);
  const others = keys ? entries.filter(({ id }) => deleted.every((each) => each.id !== id)) : [];
  return others.flatMap((entry) => {
    const texts = Object.entries(entry.locales);
    const found = texts.map(([locale, { content }]) => [locale, ...(content?.body?.match(link) ?? [])]).find(([, words]) => words);
    if (!found) return [];
    const of = collectionOf(texts[0][1].path.split('/').at(-3));
    return [
      {
        collectionName: of.name,
        collectionLabel: of.label,
        fieldLabel: language === 'tr' ? 'Bağlantı' : 'Link',
        entry,
        summary: summaryOf(of, entry),
        locale: found[0],
        keyPath: 'body',
        messages: [found[1]],
      },
    ];
  });
};

// A page with unsaved words is not left without a question.
addEventListener('beforeunload', (event) => {
  if (document.querySelector('button[aria-keyshortcuts$="+S"]:not(:disabled)')) event.preventDefault();
});

// On one's own machine the editor reads every file once and later writes over it, whoever has changed it meanwhile. So the files that were
// read are remembered with their state, and a person decides before a file in another state is overwritten.
if (window.FileSystemFileHandle) {
  const { createWritable, getFile, move } = FileSystemFileHandle.prototype;
  /** By name of a file: handles and their states when they were read, oldest first. */
  const read = new Map();
  const stateOf = ({ lastModified, size }) => `${lastModified} ${size}`;
  const decide = async (handle, folder) => {
    const now = stateOf(await getFile.call(handle));
    const before = read.get(handle.name) ?? [];
    const isSame = await Promise.all(before.map((each) => handle.isSameEntry(each.handle)));
    if (now === before[isSame.lastIndexOf(true)]?.state) return;
    const name = [folder, handle.name].filter(Boolean).join('/');
    const question =
      language === 'tr'
        ? `“${name}” dosyası, burada okunduktan sonra başka bir programla değiştirilmiş.\n\nİptal: dosya olduğu gibi kalır; yazdıklarınızı kopyalayıp sayfayı yenileyin.\nTamam: dosyanın yerine buradaki metin yazılır, öteki değişiklik kaybolur.`
        : `Another program has changed the file “${name}” since it was read here.\n\nCancel: the file stays as it is; copy what you wrote, then reload the page.\nOK: the text from here replaces the file, and the other change is lost.`;
    if (!confirm(question)) throw new DOMException(`${name} was changed by another program`, 'InvalidModificationError');
  };
  FileSystemFileHandle.prototype.getFile = async function () {
    const file = await getFile.call(this);
    if (!read.has(this.name)) read.set(this.name, []);
    read.get(this.name).push({ handle: this, state: stateOf(file) });
    return file;
  };
  // The editor writes into a new file, which then takes the place of the old one; where a browser cannot move files, into the file.
  if (move) {
    FileSystemFileHandle.prototype.move = async function (...target) {
      const [folder, name] = target;
      const handle = await folder.getFileHandle?.(name).catch(() => null);
      if (handle) await decide(handle, folder.name);
      return move.apply(this, target);
    };
  } else {
    FileSystemFileHandle.prototype.createWritable = async function (...options) {
      if ((await getFile.call(this)).size > 0) await decide(this);
      return createWritable.apply(this, options);
    };
  }
}
