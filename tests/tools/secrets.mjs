// Secrets of the tests, for the step that searches the logs.

import { appendFileSync } from 'node:fs';

/** Appends secrets to the file `SECRETS_FILE`, if it is set. */
export function confide(...secrets) {
  const file = process.env.SECRETS_FILE;
  const known = secrets.filter((secret) => typeof secret === 'string' && secret !== '');
  if (file) appendFileSync(file, known.map((secret) => `${secret}\n`).join(''));
}
