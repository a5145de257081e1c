// The folder of the file transport for messages.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { PATIENCE } from '../extent.mjs';
import { confide } from '../secrets.mjs';

export class Outbox {
  #folder;

  constructor(folder) {
    if (!folder) throw new Error('the folder of messages is missing');
    this.#folder = folder;
  }

  /** Returns the message to `email` whose link leads to `path`, once it has arrived: its link and its text. */
  async message(email, path = '/agent/auth/claim/view') {
    for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
      for (const name of readdirSync(this.#folder).filter((it) => it.endsWith('.eml'))) {
        const raw = readFileSync(join(this.#folder, name), 'utf8');
        if (!raw.includes(`To: ${email}\r\n`)) continue;
        const text = plain(raw);
        const link = text.match(/https?:\/\/\S+/g)?.find((it) => new URL(it).pathname === path);
        if (!link) continue;
        confide(email, new URL(link).searchParams.get('token'));
        return { link, text };
      }
      await pause(50);
    }
    throw new Error(`no message with a link to ${path} came for ${email}`);
  }
}

/** Returns the text part, decoded. */
function plain(raw) {
  const boundary = /boundary="([^"]+)"/.exec(raw)[1];
  const part = raw.split(`--${boundary}`).find((it) => it.includes('text/plain'));
  const [head, ...body] = part.split('\r\n\r\n');
  const encoded = body.join('\r\n\r\n');
  if (/base64/i.test(head)) return Buffer.from(encoded, 'base64').toString('utf8');
  if (!/quoted-printable/i.test(head)) return encoded;
  const bytes = encoded.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
