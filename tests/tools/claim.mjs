// A person in a browser without scripts, in both languages: consents to a claim, denies one, and revokes access.
// Alongside: link scanners, other sites that frame and post, and a polling agent.

import { newContext, start } from './browser/chromium.mjs';
import { accessibility, layout, privacy, weight } from './browser/checks.mjs';
import { visit } from './browser/visit.mjs';
import { Agent } from './claim/agent.mjs';
import { Outbox } from './claim/outbox.mjs';
import { Findings } from './findings.mjs';
import { Site } from './site.mjs';

const site = Site.fromArguments();
const outbox = new Outbox(process.argv[4]);
const findings = new Findings();
const browser = await start();
try {
  for (const locale of ['en', 'tr']) {
    await agrees(locale);
    await refuses(locale);
  }
  await strangers();
} finally {
  await browser.close();
}
findings.end('claims and access in two languages');

async function agrees(locale) {
  const email = `ayse.${locale}.${Date.now()}@client.example`;
  const agent = await Agent.register(site);
  const { match_phrase: words } = await agent.claim(email, locale);
  const link = here((await outbox.message(email)).link);
  findings.expect(link.searchParams.get('locale') === locale, locale, 'the link in the message is of another language');
  await scanned(link);
  findings.expect((await agent.complete('000000')).error === 'otp_not_generated', locale, 'a scanner has shown the code');
  await looked(link, 'claim');

  const page = await person(locale);
  await page.goto(link.href);
  findings.expect((await page.locator('html').getAttribute('lang')) === locale, link, 'is in another language');
  findings.expect((await page.locator('dd strong').innerText()) === words, link, 'shows other words than the agent was given');
  await byKeyboard(page, 'button.button:not(.other)');
  const code = await page.locator('.code strong').innerText();
  findings.expect(/^\d{6}$/.test(code), locale, `the code is ${JSON.stringify(code)}`);
  await page.reload();
  findings.expect((await page.locator('.code strong').innerText()) === code, locale, 'the code changes when the page is loaded again');
  await page.locator('.languages button').click();
  findings.expect((await page.locator('html').getAttribute('lang')) !== locale, locale, 'the language of the code cannot be switched');
  findings.expect((await page.locator('.code strong').innerText()) === code, locale, 'the code changes with the language');

  const wrong = await agent.complete(code === '123456' ? '654321' : '123456');
  findings.expect(wrong.error === 'otp_invalid' && wrong.attempts_remaining === 4, locale, `a wrong code: ${JSON.stringify(wrong)}`);
  const done = await agent.complete(`${code.slice(0, 3)} ${code.slice(3)}`);
  findings.expect(done.status === 'claimed', locale, `the right code: ${JSON.stringify(done)}`);
  findings.expect((await agent.works()) === 200, locale, 'the credential does not work after the claim');
  await page.goto(link.href);
  findings.expect((await page.locator('.choices').count()) === 0, locale, 'a settled request can be answered again');
  await takesBack(page, agent, email, locale);
  await page.context().close();
}

async function takesBack(page, agent, email, locale) {
  const answer = await requestClaim(page, email, locale);
  findings.expect(answer.includes(email), locale, 'the answer does not repeat the address');
  const link = here((await outbox.message(email, '/agent/access/view')).link);
  await scanned(link);
  findings.expect((await agent.works()) === 200, locale, 'a scanner has taken access back');
  await looked(link, 'access');
  await page.goto(link.href);
  const items = await page.locator('.grants > li').count();
  findings.expect(items === 1, locale, `the list has ${items} agents`);
  await byKeyboard(page, '.grants button');
  findings.expect((await agent.works()) === 401, locale, 'the credential works although it was taken back');
  await page.locator('.more a').click();
  findings.expect((await page.locator('.grants').count()) === 0, locale, 'the list still has an agent');

  // An unknown address gets the same response.
  const other = await requestClaim(page, `nobody.${email}`, locale);
  findings.expect(other === answer.replaceAll(email, `nobody.${email}`), locale, 'an unknown address is answered differently');
}

/** Requests the access link; returns the text of the page. */
async function requestClaim(page, email, locale) {
  await page.goto(`${site.url}/agent/access?locale=${locale}`);
  await page.locator('#email').fill(email);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  return page.locator('main').innerText();
}

async function refuses(locale) {
  const email = `can.${locale}.${Date.now()}@client.example`;
  const agent = await Agent.register(site);
  await agent.claim(email, locale);
  const link = here((await outbox.message(email)).link);
  const page = await person(locale);
  await page.goto(link.href);
  await byKeyboard(page, '.button.other');
  const word = await page.locator('label strong').innerText();
  for (const typed of ['no', word.toUpperCase()]) {
    await page.locator('#_word').fill(typed);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    findings.expect((await page.locator('#_word').count()) === (typed === 'no' ? 1 : 0), locale, `${typed} is taken for something else`);
  }
  findings.expect((await page.locator('.choices, .code').count()) === 0, locale, 'a refused request can still be agreed to');
  await page.goto(link.href);
  findings.expect((await page.locator('.choices, .code').count()) === 0, locale, 'the link of a refused request still works');
  findings.expect((await agent.complete('123456')).status !== 'claimed', locale, 'a refused request was completed');
  await page.context().close();
}

/** Attacks of other sites with a leaked link, and with forms of their own. */
async function strangers() {
  const email = `deniz.${Date.now()}@client.example`;
  const agent = await Agent.register(site);
  await agent.claim(email, 'en');
  const link = here((await outbox.message(email)).link);
  const context = await newContext(browser);
  const page = await context.newPage();
  const foreign = 'http://other-site.example';
  const forms = `<iframe src="${link.href}"></iframe><form method="post" action="${site.url}/agent/auth/claim/attempt/challenge"><input name="claim_attempt_token" value="${link.searchParams.get('token')}"><button>go</button></form>`;
  await page.route(`${foreign}/**`, (route) => route.fulfill({ contentType: 'text/html', body: forms }));
  await page.goto(foreign, { waitUntil: 'load' });
  // The browser shows an error page in place of one that forbids framing.
  const framed = page.frames().slice(1).map((it) => it.url());
  findings.expect(framed.length === 1 && framed[0].startsWith('chrome-error:'), link, `another site can frame it: ${framed}`);
  const [posted] = await Promise.all([page.waitForResponse((it) => it.request().method() === 'POST'), page.locator('button').click()]);
  findings.expect(posted.status() === 403, link, `a form of another site is answered ${posted.status()}`);
  findings.expect((await agent.complete('000000')).error === 'otp_not_generated', link, 'another site has shown the code');
  await page.goto(link.href);
  const [request] = await Promise.all([page.waitForRequest((it) => it.isNavigationRequest()), page.locator('.wordmark').click()]);
  findings.expect((await request.headerValue('referer')) === null, link, 'leaks to the next page');
  await context.close();
}

/** Requests the link as mail servers and previews do. */
async function scanned(link) {
  for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) {
    const { status } = await fetch(link, { method });
    findings.expect(status === 200, link, `${method} answers ${status}`);
  }
}

async function looked(link, what) {
  await visit(browser, link.href, { colorScheme: 'light' }, findings, [privacy, accessibility, weight]);
  await visit(browser, link.href, { colorScheme: 'dark', viewport: { width: 320, height: 640 } }, findings, [accessibility, layout]);
  const { headers } = await site.get(`${link.pathname}${link.search}&${what}`);
  findings.expect(headers.get('cache-control') === 'no-store' && headers.get('referrer-policy') === 'no-referrer', link, 'may be kept or carried on');
}

/** Opens a page in a browser without scripts and with the language `locale`. */
async function person(locale) {
  const context = await newContext(browser, { javaScriptEnabled: false, locale: locale === 'tr' ? 'tr-TR' : 'en-GB' });
  return context.newPage();
}

/** Reaches a button with the Tab key and presses it. */
async function byKeyboard(page, selector) {
  const wanted = await page.locator(selector).first().elementHandle();
  for (let step = 0; step < 30; step += 1) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    if ((await focused.count()) && (await focused.first().evaluate((node, other) => node === other, wanted))) {
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      return;
    }
  }
  findings.add(page.url(), `${selector} cannot be reached by keyboard`);
  await Promise.all([page.waitForNavigation(), wanted.click()]);
}

/** Returns a link of a message with the address of the server under test. */
function here(link) {
  const url = new URL(link);
  return new URL(url.pathname + url.search, site.url);
}
