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

// The form has a list of new pictures, which is no field of a file: before a save, each becomes a line at the end of the text beside which
// the editor puts it. Pictures that are chosen again and have a space in their names stand between `<` and `>`.
addEventListener('DOMContentLoaded', () => {
  const addPictures = (fields) => {
    for (const { file, alt } of fields?.pictures ?? []) {
      if (!file) continue;
      const [words, target] = [(alt ?? '').replace(/[[\]\\]/g, '\\$&'), /\s/.test(file) ? `<${file}>` : file];
      fields.body = `${(fields.body ?? '').trimEnd()}\n\n![${words}](${target})`;
    }
    if (fields) delete fields.pictures;
  };
  window.CMS?.registerEventListener({
    name: 'preSave',
    handler: ({ entry }) => {
      const { data, i18n } = entry.toJS();
      [data, ...Object.values(i18n).map((other) => other.data)].forEach(addPictures);
      return entry;
    },
  });
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
