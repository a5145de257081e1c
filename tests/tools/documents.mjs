// Checks documents for programs: each has what its format requires, and every address in them answers.

import { judge as agents } from './documents/agents.mjs';
import { judge as cards } from './documents/cards.mjs';
import { judge as catalog } from './documents/catalog.mjs';
import { judge as consumers } from './documents/consumers.mjs';
import { judge as crawlers } from './documents/crawlers.mjs';
import { judge as feeds } from './documents/feeds.mjs';
import { judge as structured } from './documents/structured.mjs';
import { Findings } from './findings.mjs';
import { Site } from './site.mjs';

const site = Site.fromArguments();
const findings = new Findings();
const judges = { agents, cards, catalog, consumers, crawlers, feeds, structured };
// The time of the build, by default now.
const moment = process.argv[4] === undefined ? Date.now() : Date.parse(process.argv[4]);
for (const judge of Object.values(judges)) await judge(site, findings, moment);
findings.end(Object.keys(judges).join(', '));
