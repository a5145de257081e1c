// Uses the editor at /admin of a preview in a browser: lists every kind, changes texts and people, adds an article, sets a schedule, and
// saves. After each save the difference of the files is the expected one; a normal run opens and saves a third of the entries, a
// long one all. Then it signs in at each forge, answered from a repository, and saves there. The browser's own file system stands in for the folder, because no program can answer the dialog that
// chooses one; every save is copied to the folder, which the preview watches.
//
//   editor.mjs GENERATOR CONTENT TEMPLATES PACKAGE WORK

import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { accessiblePart } from './browser/checks.mjs';
import { newContext, start } from './browser/chromium.mjs';
import { savesAtForges } from './editor/saves.mjs';
import { PATIENCE, third, thirdSaid } from './extent.mjs';
import { Findings } from './findings.mjs';

const [generator, content, templates, pack, work] = process.argv.slice(2);
const firm = join(work, 'firm');
const findings = new Findings();
const KINDS = { publications: 'Yayınlar', team: 'Ekip', 'practice-areas': 'Çalışma alanları', network: 'İlişkili bürolar', pages: 'Sayfalar' };
/** Exceptions of the editor from which nothing follows: a value of the form that was just left, and a cache that does not exist yet. */
const HARMLESS = ['Cannot convert undefined or null to object', 'object stores was not found'];
const TODAY = `+date: ${new Date(Date.now() + 3 * 3600 * 1000).toISOString().slice(0, 10)}`;
const PICTURE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=', 'base64');
const ARTICLE = 'publications/construction-delay';

mkdirSync(firm, { recursive: true });
cpSync(content, join(firm, 'content'), { recursive: true });
cpSync(templates, join(firm, 'templates'), { recursive: true });
copyFileSync(pack, join(firm, basename(pack)));
appendFileSync(join(firm, 'content/site.toml'), '\n[editor]\n');
writeFileSync(join(firm, '.gitignore'), '*.tgz\n');
const git = (...words) => execFileSync('git', ['-C', firm, '-c', 'user.name=A', '-c', 'user.email=a@firm.example', ...words], { encoding: 'utf8' });
git('init', '-q', '.');
commit();
const first = git('rev-parse', 'HEAD').trim();
const { process: preview, address } = await started();
const browser = await start();
let page;
/** The texts as the editor's folder has them, by path. */
let texts = {};
try {
  for (const language of ['en', 'tr']) await opens(language);
  await speaksTurkish();
  await lists();
  await changes();
  await adds();
  await addsInEnglish();
  await translates();
  await carriesSharedFacts();
  await keepsUnsavedWords();
  await illustrates();
  await offersOwnMedia();
  await refusesDeletion();
  await schedules();
  await refuses();
  await asks();
  await keepsEveryEntry();
  await savesAtForges({ firm, first, work, generator, findings, form: { visits, go, open, field, page: () => page } });
} catch (error) {
  findings.add('editor', error.message);
  if (page) await page.screenshot({ path: join(work, 'editor.png') }).catch(() => {});
} finally {
  preview.kill();
  await browser.close();
}
findings.end('the editor');

function commit() {
  git('add', '--all');
  git('commit', '-qm', 'one', '--allow-empty');
}

/** Starts the preview on a free port. */
async function started() {
  const child = spawn(generator, ['preview', '--lang', 'tr', '--listen', '127.0.0.1:0'], { cwd: firm, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines = createInterface({ input: child.stderr });
  const address = await new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error('the preview ended')));
    lines.on('line', (line) => {
      console.log(line);
      const found = line.match(/düzenleyici: (http:\/\/[^/\s]+)\/admin/)?.[1];
      if (found) resolve(found);
    });
  });
  return { process: child, address };
}

/** Opens the editor with the folder, in a browser of this language. */
async function opens(language) {
  const answer = await visits(language, [address]);
  const headers = answer.headers();
  findings.expect(headers['content-security-policy'].startsWith("default-src 'none'; script-src 'self';"), language, 'has another policy');
  findings.expect(headers['x-robots-tag'] === 'noindex', language, 'may be indexed');
  texts = filesOf(firm);
  await page.evaluate(async (files) => {
    const site = await (await navigator.storage.getDirectory()).getDirectoryHandle('site', { create: true });
    await site.getDirectoryHandle('.git', { create: true });
    for (const [path, bytes] of Object.entries(files)) {
      const folders = path.split('/');
      const name = folders.pop();
      let folder = site;
      for (const each of folders) folder = await folder.getDirectoryHandle(each, { create: true });
      const stream = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await stream.write(Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0)));
      await stream.close();
    }
  }, texts);
  const buttons = await page.getByRole('button').allInnerTexts();
  findings.expect(!buttons.some((each) => each.includes('Token')), language, `offers ${buttons}`);
  await page.getByRole('button', { name: language === 'tr' ? 'Sitenin Klasörünü Aç' : 'Open the Site’s Folder' }).click();
  await page.getByText(language === 'tr' ? 'Koleksiyonlar' : 'Collections', { exact: true }).waitFor();
  await page.getByText(language === 'tr' ? KINDS['practice-areas'] : 'Practice areas').first().waitFor();
}

/** Visits the editor at the first of `origins`, in a browser of this language; it sends requests to these origins only. */
async function visits(language, origins) {
  await page?.context().close();
  const context = await newContext(browser, { locale: language === 'tr' ? 'tr-TR' : 'en-GB', timezoneId: 'Europe/Istanbul', viewport: { width: 1500, height: 1000 } });
  await context.addInitScript(() => {
    window.showDirectoryPicker = async () => (await navigator.storage.getDirectory()).getDirectoryHandle('site');
    // The page remembers what the editor reads; what this test reads is not that.
    window.getFile = FileSystemFileHandle.prototype.getFile;
  });
  page = await context.newPage();
  page.on('pageerror', ({ message }) => findings.expect(HARMLESS.some((it) => message.includes(it)), language, `exception: ${message}`));
  page.on('console', (message) => {
    // Browsers request an icon by themselves, and the editor the page of an article that was just begun.
    const isExpected =
      message.type() !== 'error' || /\/(favicon\.ico|space-law-in-turkiye|isci-ve-calisma)$/.test(message.location().url) || message.text().includes('was changed by another program');
    findings.expect(isExpected, language, `console: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const isOwn = /^(blob|data):/.test(request.url()) || origins.some((origin) => request.url().startsWith(`${origin}/`));
    findings.expect(isOwn, language, `requests ${request.url()}`);
  });
  return page.goto(`${origins[0]}/admin`);
}

function filesOf(folder, below = 'content') {
  const found = {};
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = `${below}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(found, filesOf(folder, path));
    else found[path] = readFileSync(join(folder, path)).toString('base64');
  }
  return found;
}

/** Each word that a person meets is Turkish; what is wrong with a configuration is for programmers. */
async function speaksTurkish() {
  const ofPackage = (name) => JSON.parse(execFileSync('tar', ['-xzOf', pack, `package/${name}`], { encoding: 'utf8', maxBuffer: 1e8 }));
  const namesOf = (words, above = '') =>
    Object.entries(words).flatMap(([name, value]) => (typeof value === 'object' ? namesOf(value, `${above}${name}.`) : [above + name]));
  const { version } = ofPackage('package.json');
  const turkish = new Set(namesOf(await (await fetch(`${address}/admin/cms@${version}/locales/tr.json`)).json()));
  const missing = namesOf(ofPackage('locales/en-US.json')).filter((name) => !name.startsWith('config.') && !turkish.has(name));
  findings.expect(missing.length === 0, 'the Turkish interface', `lacks ${missing.slice(0, 5)}`);
}

/** Every kind is listed with all its entries. */
async function lists() {
  for (const [kind, label] of Object.entries(KINDS)) {
    const count = readdirSync(join(firm, 'content', kind)).length;
    await go(`/collections/${kind}`);
    await page.waitForFunction((line) => document.body.innerText.includes(line), `${label}\n${count}\n`);
  }
}

async function changes() {
  await open(ARTICLE);
  await append(' Ek.');
  await saved('a word in a Turkish article', [/^-\[\^1\]: .*olmasını arar\.$/, /^\+\[\^1\]: .*olmasını arar\. Ek\.$/], [`${ARTICLE}/index.tr.md`]);
  await open('team/asli-cengiz');
  await field('en', 'title').locator('input').fill('Senior associate');
  await saved('the title of a person in English', ['-title: Associate', '+title: Senior associate'], ['team/asli-cengiz/index.en.md']);
}

/** An article in Turkish only, a draft; its folder is named by the Turkish rules. */
async function adds() {
  await go('/collections/publications/new');
  await field('tr', 'title').locator('input').fill('İşçi ve Çalışma Sözleşmesi: Ğ ş ı ü');
  await field('tr', 'slug').locator('input').fill('isci-ve-calisma');
  await append('Bir metin.');
  const file = 'publications/isci-ve-calisma-sozlesmesi-g-s-i-u/index.tr.md';
  await saved('an article in Turkish', ["+---", "+title: 'İşçi ve Çalışma Sözleşmesi: Ğ ş ı ü'", '+slug: isci-ve-calisma', TODAY, '+draft: true', '+---', '+', '+Bir metin.'], [file]);
  await page.getByText('İşçi ve Çalışma Sözleşmesi: Ğ ş ı ü · taslak').waitFor();
}

/** An article in English only, which is listed beside the others. */
async function addsInEnglish() {
  await go('/collections/publications-english-first/new');
  await field('en', 'title').locator('input').fill('Space law in Türkiye');
  await field('en', 'slug').locator('input').fill('space-law-in-turkiye');
  await field('en', 'body').locator('textarea').fill('A text.');
  const file = 'publications/space-law-in-turkiye/index.en.md';
  await saved('an article in English', ['+---', '+title: Space law in Türkiye', '+slug: space-law-in-turkiye', TODAY, '+draft: true', '+---', '+', '+A text.'], [file]);
  await go('/collections/publications-english-first/entries/space-law-in-turkiye/index');
  await page.locator('section.field').first().waitFor();
  await field('en', 'title').locator('input').fill('Space law');
  await saved('an article in English, once more', ['-title: Space law in Türkiye', '+title: Space law'], [file]);
  await open('publications/space-law-in-turkiye');
  await field('en', 'title').locator('input').fill('Law of space');
  await saved('an article in English, from the Turkish list', ['-title: Space law', '+title: Law of space'], [file]);
}

/** A language that is added states no shared fact but that it is a draft, and a change in either form is one of each file that states the fact. */
async function translates() {
  const key = 'publications/isci-ve-calisma-sozlesmesi-g-s-i-u';
  const [turkish, english] = ['tr', 'en'].map((language) => `${key}/index.${language}.md`);
  await open(key);
  findings.expect(!(await field('tr', 'author').innerText()).includes('Ekle'), 'the author', 'can be made in the form of an article');
  await field('tr', 'tags').locator('input').fill('iş hukuku');
  await page.getByRole('button', { name: /İngilizce.*Dilini Etkinleştir/ }).click();
  await field('en', 'title').locator('input').fill('Workers');
  await field('en', 'slug').locator('input').fill('workers');
  await field('en', 'body').locator('textarea').fill('A text.');
  await saved('a language', ['+---', '+title: Workers', '+slug: workers', '+draft: true', '+---', '+', '+A text.', '+tags:', '+  - iş hukuku'], [english, turkish]);
  await open(key);
  await field('en', 'date').locator('input').fill('2026-01-02');
  await saved('a date in the other form', ['+date: 2026-01-02', TODAY.replace('+', '-'), '+date: 2026-01-02'], [english, turkish]);
  await open(key);
  await field('tr', 'draft').getByRole('radio').first().click();
  await saved('a publication', ['-draft: true', '-draft: true'], [english, turkish]);
}

/** A fact that both files state is changed in both. */
async function carriesSharedFacts() {
  const file = (language) => `${ARTICLE}/index.${language}.md`;
  const author = readFileSync(join(firm, 'content', file('tr')), 'utf8').match(/^author: .*$/m)[0];
  const path = join(firm, 'content', file('en'));
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^slug: .*$/m, (line) => `${line}\n${author}`));
  commit();
  await opens('tr');
  await open(ARTICLE);
  await chooses(field('tr', 'author'), 'Aslı Cengiz');
  await saved('an author in both files', [`-${author}`, '+author: asli-cengiz', `-${author}`, '+author: asli-cengiz'], [file('en'), file('tr')]);
}

/** Chooses from the list of a field. */
async function chooses(where, name) {
  await where.getByRole('combobox').first().click();
  await page.getByRole('option', { name }).click();
}

/** Words that were not saved are offered again, and the page is not left without a question; the key Escape leaves none. */
async function keepsUnsavedWords() {
  const questions = [];
  const answers = (dialog) => (questions.push(dialog.type()), dialog.accept());
  page.on('dialog', answers);
  await open(ARTICLE);
  await field('tr', 'title').click();
  await page.reload();
  findings.expect(questions.length === 0, 'a text as it was', 'is not left without a question');
  await page.locator('section.field').first().waitFor();
  await append(' Kaydedilmedi.');
  await page.keyboard.press('Escape');
  // The backup follows the last key after half a second.
  await page.waitForTimeout(1000);
  findings.expect(await field('tr', 'title').isVisible(), 'the key Escape', 'closes the text');
  await page.reload();
  page.off('dialog', answers);
  findings.expect(questions.join() === 'beforeunload', 'unsaved words', `are left after ${questions.join() || 'no question'}`);
  await page.getByRole('button', { name: 'Geri Yükle' }).click();
  const text = field('tr', 'body').locator('textarea');
  await page.waitForFunction((area) => area.value.endsWith(' Kaydedilmedi.'), await text.elementHandle());
  await page.getByRole('button', { name: 'Düzenlemeyi İptal Et' }).click();
  await page.locator('section.field').first().waitFor({ state: 'detached' });
  await open(ARTICLE);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sil', exact: true }).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await go('/collections/publications');
  await page.locator('section.field').first().waitFor({ state: 'detached' });
}

/** Files of the site's settings are no media, and a file that is chosen in the dialog stands beside the text. */
async function offersOwnMedia() {
  await go('/assets');
  await page.getByText('Medya Dosyaları').first().waitFor();
  const all = await page.evaluate(() => document.body.innerText);
  findings.expect(!/site\.toml|synonyms\.toml|Genel/.test(all), 'the media', 'has files of the whole site');
  await open(ARTICLE);
  await field('tr', 'pictures').getByRole('button', { name: /Görsel.*Ekle/ }).click();
  await field('tr', 'pictures.0.file').getByRole('button', { name: 'Göz At' }).click();
  const dialog = page.getByRole('dialog').last();
  findings.expect(!(await dialog.innerText()).includes('Genel'), 'the dialog of media', 'offers a folder for all entries');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), dialog.getByRole('button', { name: 'Yükle' }).click()]);
  await chooser.setFiles({ name: 'Adliye.png', mimeType: 'image/png', buffer: Buffer.concat([PICTURE, PICTURE]) });
  await dialog.getByText('adliye.png').waitFor();
  await dialog.getByRole('button', { name: 'Ekle', exact: true }).click();
  await field('tr', 'pictures.0.alt').locator('input').fill('Adliye');
  await saved('a picture from the dialog', ['+', '+![Adliye](adliye.png)'], [`${ARTICLE}/adliye.png`, `${ARTICLE}/index.tr.md`]);
}

/** An entry to which texts link is not deleted, and its folder keeps its name. */
async function refusesDeletion() {
  await open('practice-areas/data-protection');
  await page.getByRole('button', { name: 'Düzenleyici Seçeneklerini Göster' }).click();
  findings.expect((await page.getByRole('menuitem', { name: /Slug/ }).count()) === 0, 'the menu of an entry', 'offers its folder');
  await page.getByRole('menuitem', { name: 'İçeriği Sil' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('@/practice-areas/data-protection').first().waitFor();
  findings.expect(await dialog.getByRole('button', { name: 'Sil', exact: true }).isDisabled(), 'an entry with links', 'can be deleted');
  await dialog.getByRole('button', { name: 'İptal' }).click();
}

/** A picture that is added stands beside the text, and its line at the end of the text, as the site shows it. */
async function illustrates() {
  await open(ARTICLE);
  await field('tr', 'pictures').getByRole('button', { name: /Görsel.*Ekle/ }).click();
  await field('tr', 'pictures.0.file').locator('input[type=file]').first().setInputFiles({ name: 'Duruşma Salonu Planı.png', mimeType: 'image/png', buffer: PICTURE });
  await field('tr', 'pictures.0.file').getByText('durusma-salonu-plani.png').waitFor();
  await field('tr', 'pictures.0.alt').locator('input').fill('Duruşma salonunun planı');
  const lines = ['+', '+![Duruşma salonunun planı](durusma-salonu-plani.png)'];
  await saved('a picture', lines, [`${ARTICLE}/durusma-salonu-plani.png`, `${ARTICLE}/index.tr.md`]);
  await page.locator('#preview-of-editor summary', { hasText: '0 hata' }).waitFor();
  const isShown = async () => (await (await fetch(`${address}/tr/yayinlar/insaat-sozlesmelerinde-gecikme`)).text()).includes('alt="Duruşma salonunun planı"');
  const end = Date.now() + PATIENCE;
  while (!(await isShown()) && Date.now() < end) await page.waitForTimeout(200);
  findings.expect(await isShown(), 'a picture', 'is not shown by the page');
}

async function schedules() {
  const both = ['en', 'tr'].map((language) => `${ARTICLE}/index.${language}.md`);
  await open(ARTICLE);
  await field('tr', 'publish').locator('input').fill('2027-01-04T09:00');
  await saved('a schedule', Array(2).fill('+publish: 2027-01-04T09:00:00+03:00'), both);
  await open(ARTICLE);
  await field('tr', 'draft').getByRole('radio').last().click();
  await saved('a draft', Array(2).fill('+draft: true'), both);
}

/** What the checks refuse stands at the foot of the editor after the save. */
async function refuses() {
  await page.locator('#preview-of-editor summary', { hasText: '0 hata' }).waitFor();
  await open('publications/board-member-liability');
  await field('tr', 'slug').locator('input').fill('Büyük Harf');
  await page.getByRole('button', { name: 'Kaydet', exact: true }).click();
  await page.getByText('a–z arası küçük harfler').last().waitFor();
  findings.expect((await copied()).length === 0, 'a slug with capitals', 'is saved');
  await field('tr', 'slug').locator('input').fill('yonetim-kurulu-uyesinin-sorumlulugu');
  await field('tr', 'excerpt').locator('textarea').fill('Bkz. [madde](x).');
  await append(' [Bkz.](@/publications/yok)');
  await page.getByRole('button', { name: 'Kaydet', exact: true }).click();
  await page.locator('section.field').first().waitFor({ state: 'detached', timeout: 5000 }).catch(() => {});
  if ((await copied()).length) {
    await page.locator('#preview-of-editor summary', { hasText: /[1-9] hata/ }).waitFor();
    await accessiblePart(page, '#preview-of-editor', findings, 'the findings');
  }
  git('checkout', '-q', '.');
}

/** A file that another program has changed since it was read is overwritten only if the person says so. */
async function asks() {
  await opens('tr');
  const path = 'content/team/asli-cengiz/index.en.md';
  const theirs = Buffer.from(texts[path], 'base64').toString().replace('title: ', 'title: Their ');
  await page.evaluate(
    async ([path, text]) => {
      let folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('site');
      const folders = path.split('/');
      const name = folders.pop();
      for (const each of folders) folder = await folder.getDirectoryHandle(each);
      const stream = await (await folder.getFileHandle(name)).createWritable();
      await stream.write(text);
      await stream.close();
    },
    [path, theirs],
  );
  const english = () => Buffer.from(texts[path], 'base64').toString();
  const questions = [];
  for (const isOverwritten of [false, true]) {
    page.once('dialog', async (dialog) => {
      questions.push(dialog.message());
      await (isOverwritten ? dialog.accept() : dialog.dismiss());
    });
    await open('team/asli-cengiz');
    await field('en', 'title').locator('input').fill('Mine');
    await page.getByRole('button', { name: 'Kaydet', exact: true }).click();
    if (isOverwritten) await page.locator('section.field').first().waitFor({ state: 'detached', timeout: PATIENCE });
    else await page.getByRole('alertdialog').getByRole('button', { name: 'Tamam' }).click();
    await copied();
    const expected = isOverwritten ? english().includes('title: Mine\n') : english() === theirs;
    findings.expect(expected, 'a file that changed meanwhile', `becomes ${JSON.stringify(english().slice(0, 200))}`);
    if (!isOverwritten) findings.expect((await field('en', 'title').locator('input').inputValue()) === 'Mine', 'a refused save', 'loses the words');
  }
  const isAsked = questions.length === 2 && questions.every((each) => each.includes('“asli-cengiz/index.en.md”') && each.includes('İptal'));
  findings.expect(isAsked, 'a file that changed meanwhile', `asks ${JSON.stringify(questions)}`);
  git('checkout', '-q', '.');
}

/** A change and its reverse leave each entry as it was. */
async function keepsEveryEntry() {
  await opens('tr');
  const all = Object.keys(KINDS).flatMap((kind) => readdirSync(join(firm, 'content', kind)).map((key) => `${kind}/${key}`));
  const entries = third(all);
  console.log(thirdSaid('entries are opened and saved', entries.length, all.length));
  for (const entry of entries) {
    const name = /^(publications|pages)/.test(entry) ? 'title' : 'name';
    const language = `content/${entry}/index.tr.md` in texts ? 'tr' : 'en';
    await open(entry);
    const input = field(language, name).locator('input');
    const before = await input.inputValue();
    await input.fill(`${before} X`);
    await saved(entry, [/^-(title|name): /, /^\+(title|name): .* X'?$/], [`${entry}/index.${language}.md`], false);
    await open(entry);
    await input.fill(before);
    await saved(entry, [], [], false);
  }
}

async function go(hash) {
  await page.evaluate((to) => (location.hash = to), hash);
}

async function open(entry) {
  const [kind, key] = entry.split('/');
  await go(`/collections/${kind}/entries/${key}/index`);
  await page.locator('section.field').first().waitFor();
}

function field(language, name) {
  return page.locator(`[data-locale=${language}] section.field[data-key-path="${name}"]`).first();
}

/** Appends words to the Turkish text. */
async function append(words) {
  const text = field('tr', 'body').locator('textarea');
  await text.fill((await text.inputValue()) + words);
}

/** Saves, and compares the difference of the files with the expected lines and names. */
async function saved(what, lines, files, isKept = true) {
  await page.getByRole('button', { name: 'Kaydet', exact: true }).click();
  await page.locator('section.field').first().waitFor({ state: 'detached', timeout: PATIENCE });
  await copied();
  git('add', '--all', '--intent-to-add');
  const names = git('diff', '--name-only', '--', 'content').split('\n').filter(Boolean);
  const changed = git('diff', '--unified=0', '--', 'content').split('\n').filter((line) => /^[-+]/.test(line) && !/^(\+\+\+|---) /.test(line));
  const isLine = (line, expected) => (expected instanceof RegExp ? expected.test(line) : line === expected);
  const isExpected = changed.length === lines.length && changed.every((line, at) => isLine(line, lines[at]));
  findings.expect(isExpected, what, `changes ${JSON.stringify(changed.slice(0, 8))}`);
  findings.expect(names.join() === files.map((file) => `content/${file}`).join(), what, `changes the files ${names}`);
  if (isKept) commit();
}

/** Copies what the editor wrote to the folder on disk, and returns the paths. */
async function copied() {
  const now = await page.evaluate(async () => {
    const found = {};
    const visit = async (folder, below) => {
      for await (const [name, handle] of folder.entries()) {
        if (name === '.git') continue;
        if (handle.kind === 'directory') await visit(handle, `${below}${name}/`);
        else found[below + name] = btoa(Array.from(new Uint8Array(await (await getFile.call(handle)).arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''));
      }
    };
    await visit(await (await navigator.storage.getDirectory()).getDirectoryHandle('site'), '');
    return found;
  });
  const paths = [...new Set([...Object.keys(now), ...Object.keys(texts)])].filter((path) => now[path] !== texts[path]);
  for (const path of paths) {
    mkdirSync(dirname(join(firm, path)), { recursive: true });
    if (path in now) writeFileSync(join(firm, path), Buffer.from(now[path], 'base64'));
    else rmSync(join(firm, path));
  }
  texts = now;
  return paths;
}
