// Builds the site for each forge, signs in there and saves: to the branch, and for review. Each forge is answered from a repository on
// disk. A save is a commit with the line that changed; what another person changed meanwhile is overwritten only if the person says so.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PATIENCE } from '../extent.mjs';
import { ADA, listening, Repository, site } from './forge.mjs';
import { forgejo } from './forgejo.mjs';
import { github } from './github.mjs';
import { gitlab } from './gitlab.mjs';

const BORA = { name: 'Bora Deneme', email: 'bora@firm.example' };
const PERSON = 'team/asli-cengiz';
const FILE = `content/${PERSON}/index.en.md`;
const OTHER = 'team/mert-ilgaz';
const THIRD = 'team/cagri-unlu';
const FORGES = {
  gitea: { recorder: forgejo, signIn: () => 'application = "abc"' },
  github: { recorder: github, signIn: (address) => `sign_in = "${address}"`, isReviewed: true },
  gitlab: { recorder: gitlab, signIn: () => 'application = "abc"', isReviewed: true },
};

/** The content of the firm is that of `first`; `form` are the functions of the judge of the editor. */
export async function savesAtForges({ firm, first, work, generator, findings, form }) {
  const git = (...words) => execFileSync('git', ['-C', firm, '-c', `user.name=${ADA.name}`, '-c', `user.email=${ADA.email}`, ...words], { encoding: 'utf8' });
  git('branch', '-M', 'main');
  for (const [name, forge] of Object.entries(FORGES)) {
    const dist = join(work, `dist-${name}`);
    const state = { token: 'a-token', isReviewed: false, hasDrafts: true, before: () => {} };
    let answer;
    const there = await listening((request, response) => answer(request, response));
    // The build has the setting `review`; without it only this word is another.
    const edited = (bytes) => (state.isReviewed ? bytes : bytes.toString().replace('"editorial_workflow"', '"simple"'));
    const own = await listening(site(dist, (path, bytes) => (path.startsWith('/admin/config.') ? edited(bytes) : bytes)));
    git('checkout', '-q', first, '--', 'content');
    const settings = `forge = "${name}"\nrepository = "firm/site"\nbranch = "main"\nserver = "${there.address}"\n${forge.signIn(there.address)}\n`;
    const file = join(firm, 'content/site.toml');
    writeFileSync(file, `${readFileSync(file)}${settings}`);
    git('commit', '-qam', name);
    execFileSync(generator, ['build', '--site-url', own.address, '--out', dist, '--compression', 'none'], { cwd: firm, stdio: 'inherit' });
    const repository = new Repository(firm, join(work, `${name}.git`));
    const requests = [];
    const live = { token: () => state.token, hasDrafts: () => state.hasDrafts, origin: () => own.address, before: (what) => state.before(what) };
    answer = forge.recorder({ repository, requests, ...live });
    const at = new AtForge({ name, form, findings, repository, requests, state, origins: [own.address, there.address] });
    try {
      await at.savesToTheBranch();
      if (forge.isReviewed) {
        await at.savesForReview();
        await at.findsWhatIsInReview();
      }
    } finally {
      there.server.close();
      own.server.close();
    }
  }
}

/** A person at a forge. */
class AtForge {
  constructor(parts) {
    Object.assign(this, parts);
  }

  get page() {
    return this.form.page();
  }

  expect(isMet, what, otherwise) {
    this.findings.expect(isMet, `${this.name}: ${what}`, otherwise);
  }

  async signsIn(withToken) {
    const answer = await this.form.visits('tr', this.origins);
    const isLimited = answer.headers()['content-security-policy'].endsWith(`; connect-src 'self' blob: data: ${this.origins[1]}`);
    this.expect(isLimited, 'the policy', 'allows other addresses');
    if (withToken) {
      await this.page.getByRole('button', { name: /^Erişim Token/ }).click();
      await this.page.getByRole('alertdialog').getByRole('textbox').fill(this.state.token);
      await this.page.getByRole('alertdialog').getByRole('button', { name: 'Giriş Yap', exact: true }).click();
    } else {
      await this.page.getByRole('button', { name: /^(?!Mobil).* ile Giriş Yap$/ }).click();
    }
    await this.page.waitForFunction(() => document.body.innerText.includes('Çalışma alanları'));
    // The browser says in its console what is refused, and the editor that a branch is gone already.
    this.page.removeAllListeners('console');
  }

  title() {
    return this.form.field('en', 'title').locator('input');
  }

  button(name) {
    return this.page.getByRole('button', { name, exact: true });
  }

  alert(words) {
    return this.page.getByRole('alertdialog').filter({ hasText: words });
  }

  /** Closes a form: that of another entry has the same fields. */
  async closes() {
    await this.form.go('/collections');
    await this.left();
  }

  async opens(entry) {
    await this.closes();
    await this.form.open(entry);
  }

  async writes(words, entry = PERSON) {
    await this.opens(entry);
    await this.title().fill(words);
    await this.button('Kaydet').click();
  }

  /** A first save for review asks whether a colleague shall look at it. */
  async answers(button) {
    await this.alert('İncelemeye Gönder').getByRole('button', { name: button, exact: true }).click();
    await this.left();
  }

  left() {
    return this.page.locator('section.field').first().waitFor({ state: 'detached', timeout: PATIENCE });
  }

  /** Expects that a branch differs from a commit in the title only. */
  expectTitle(what, from, branch, words) {
    const lines = this.repository.lines(from, branch);
    this.expect(lines.length === 2 && lines[1] === `+title: ${words}`, what, `changes ${JSON.stringify(lines)}`);
  }

  /** Another person writes a title, or another field. */
  theirs(branch, words, { entry = PERSON, name = 'title' } = {}) {
    const path = `content/${entry}/index.en.md`;
    const content = this.repository.text(path, branch).replace(new RegExp(`^${name}: .*$`, 'm'), `${name}: ${words}`);
    return this.repository.commit({ branch, files: [{ path, content }], message: 'Theirs', author: BORA });
  }

  /** Calls `write` just before the first request of this kind. */
  before(pattern, write) {
    this.state.before = (what) => {
      if (!pattern.test(what)) return;
      this.state.before = () => {};
      write();
    };
  }

  /** A save that is refused makes no commit, and leaves the words in the form. */
  async refused(what, branch, words, alert) {
    const commits = () => this.repository.git('log', '--format=%H', `--author=${ADA.email}`, branch);
    const before = commits();
    await this.title().fill(words);
    await this.button('Kaydet').click();
    await this.alert(alert).getByRole('button').last().click();
    this.expect((await this.title().inputValue()) === words, what, 'loses the words');
    this.expect(commits() === before, what, 'is overwritten');
  }

  async savesToTheBranch() {
    await this.signsIn(true);
    await this.signsIn(false);
    // The token of an application expires, and the editor gets another one; that of the service does not.
    if (this.name !== 'github') this.state.token = 'a-second-token';
    const before = this.repository.head();
    await this.writes('Counsel');
    await this.left();
    this.expectTitle('a save', before, 'main', 'Counsel');
    this.expect(this.repository.last().author === ADA.name, 'a save', 'has another author');
    await this.opens(PERSON);
    this.theirs('main', 'Theirs');
    await this.refused('a file that another person has changed', 'main', 'Of counsel', 'İçeriği Başkası Değiştirmiş');
    await this.opens(OTHER);
    this.before(/^POST .*(\/contents|\/commits|createCommitOnBranch)/, () => this.theirs('main', 'Theirs', { entry: OTHER }));
    await this.refused('a file that changes during a save', 'main', 'Of counsel', /İçeriği Başkası Değiştirmiş|depoyu başkası güncelledi|kaydedilirken bir hata/);
    this.state.token = '';
    // The editor also says in the console that it gets no other token.
    this.page.removeAllListeners('pageerror');
    await this.opens(THIRD);
    await this.refused('an expired session', 'main', 'Of counsel', 'kaydedilirken bir hata');
  }

  /** A save makes a branch with a request, further saves go there, and publishing merges it. */
  async savesForReview() {
    const { repository, requests } = this;
    const branch = `cms/${PERSON}`;
    Object.assign(this.state, { isReviewed: true, token: 'a-token' });
    await this.signsIn(true);
    await this.opens(PERSON);
    this.theirs('main', 'Theirs before');
    await this.refused('a file that another person has changed', 'main', 'Partner', 'İçeriği Başkası Değiştirmiş');
    this.expect(repository.branches().length === 1, 'a refused save', 'makes a branch');
    const before = repository.head();
    await this.button('Kaydet').click();
    await this.button('Yine de Kaydet').click();
    await this.answers('Daha Sonra');
    const isAlone = () => requests.length === 1 && requests[0].branch === branch && repository.head() === before;
    this.expect(isAlone() && requests[0].isDraft && requests[0].labels.join() === 'sveltia-cms/draft', 'a save for review', 'is no draft of a request');
    this.expectTitle('a save for review', before, branch, 'Partner');

    await this.writes('Senior partner');
    await this.answers('İncelemeye Gönder');
    this.expect(isAlone() && !requests[0].isDraft && requests[0].labels.join() === 'sveltia-cms/pending_review', 'a second save', 'is not in review');
    this.expectTitle('a second save', before, branch, 'Senior partner');

    await this.opens(PERSON);
    this.theirs(branch, 'Theirs in review');
    await this.refused('a request that another person has changed', branch, 'Managing partner', 'İçeriği Başkası Değiştirmiş');
    await this.button('Kaydet').click();
    await this.button('Yine de Kaydet').click();
    await this.left();
    this.expect(isAlone(), 'a third save', 'is elsewhere');
    this.expectTitle('a third save', before, branch, 'Managing partner');

    await this.opens(PERSON);
    await this.publishes();
    await this.left();
    this.expectTitle('publishing', before, 'main', 'Managing partner');
    this.expect(repository.branches().length === 1, 'publishing', 'leaves the branch');
    const published = repository.head();
    this.before(/fork: repository|^POST .*\/commits/, () => this.theirs('main', 'Theirs', { name: 'portrait_alt' }));
    await this.writes('Name partner');
    await this.answers('Daha Sonra');
    this.expect(repository.head() !== published, 'a file that changes during a save', 'has not changed');
    this.expectTitle('a save after publishing', published, branch, 'Name partner');
    this.expect(requests.length === 2, 'a save after publishing', 'makes no request');
    await this.opens(PERSON);
    await this.publishes();
    await this.left();
    this.expect(/^portrait_alt: Theirs$/m.test(repository.text(FILE)), 'publishing', 'takes back what another person wrote');
  }

  async publishes() {
    await this.page.getByRole('button', { name: /^Durum: / }).click();
    await this.page.getByRole('menuitemradio', { name: 'Hazır' }).click();
    await this.button('İçeriği Yayınla').click();
    await this.page.getByRole('alertdialog').getByRole('button', { name: 'Yayınla', exact: true }).click();
  }

  /** Requests of others, and those of articles that were begun in English, are found again. */
  async findsWhatIsInReview() {
    const { repository, requests } = this;
    const branch = `cms/${OTHER}`;
    await this.opens(OTHER);
    repository.point(branch, repository.head());
    this.theirs(branch, 'Theirs in review', { entry: OTHER });
    requests.push({ number: requests.length + 1, title: 'Theirs', branch, base: 'main', labels: ['sveltia-cms/draft'], isOpen: true });
    await this.refused('a request that another person has opened', branch, 'Mine', 'siz açtıktan sonra depoda değiştirilmiş');

    this.state.hasDrafts = false;
    await this.writes('Partner', THIRD);
    await this.answers('İncelemeye Gönder');
    const isInReview = requests.length === 4 && requests[3].branch === `cms/${THIRD}` && requests[3].labels.join() === 'sveltia-cms/pending_review';
    this.expect(isInReview && !requests[3].isDraft, 'a request that is no draft', 'is not in review');

    // A text that the request and the branch have changed is for the forge to join.
    this.theirs('main', 'Theirs', { entry: THIRD });
    await this.opens(THIRD);
    await this.publishes();
    await this.page.getByText('İçerik yayınlanamadı').waitFor();
    this.expect(requests[3].isOpen && repository.branches().includes(requests[3].branch), 'a request with other lines', 'is gone');

    const article = 'publications-english-first/sea-law-in-turkiye';
    await this.closes();
    await this.form.go('/collections/publications-english-first/new');
    await this.title().fill('Sea law in Türkiye');
    await this.form.field('en', 'slug').locator('input').fill('sea-law-in-turkiye');
    await this.form.field('en', 'body').locator('textarea').fill('A text.');
    await this.button('Kaydet').click();
    await this.answers('Daha Sonra');
    await this.signsIn(true);
    await this.form.go('/collections/publications-english-first');
    await this.page.getByText('Sea law in Türkiye').first().waitFor();
    await this.writes('Sea law', article);
    await this.answers('İncelemeye Gönder');
    const isFound = requests.length === 5 && requests[4].branch === `cms/${article}` && requests[4].labels.join() === 'sveltia-cms/pending_review';
    this.expect(isFound, 'an article in English', 'has another request');
    const lines = repository.lines('main', `cms/${article}`).map((line) => line.replace(/^\+date: \d{4}-\d{2}-\d{2}$/, '+date'));
    const expected = ['+---', '+title: Sea law', '+slug: sea-law-in-turkiye', '+date', '+draft: true', '+---', '+', '+A text.'];
    this.expect(lines.join() === expected.join(), 'an article in English', `changes ${JSON.stringify(lines)}`);
  }
}
