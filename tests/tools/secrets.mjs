// What a judge was given in confidence, for the step that looks for it in the logs.

import { appendFileSync } from 'node:fs';

/** Remembers secrets in the file that the environment names, if it names one. */
export function confide(...secrets) {
  const file = process.env.SECRETS_FILE;
  const known = secrets.filter((secret) => typeof secret === 'string' && secret !== '');
  if (file) appendFileSync(file, known.map((secret) => `${secret}\n`).join(''));
}
