// A scheduled function of Netlify, which has the build hook of the forge called when a change is due.

import { buildWhenDue } from '../edge/scheduled.js';
import { tables } from '../edge/tables.js';

export default async function build() {
  await buildWhenDue(tables.next_change, Date.now(), (name) => process.env[name]);
}

export const config = { schedule: '*/15 * * * *' };
