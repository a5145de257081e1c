// Two validators for JSON-LD: Google's types for the vocabulary of schema.org, and Adobe's rules
// for search engines.

import { join } from 'node:path';

import Requirements from '@adobe/structured-data-validator';
import ts from 'typescript';

/** A file in the memory of the compiler only. */
const FILE = join(import.meta.dirname, 'judged.ts');

/** Adds the findings of both validators on `nodes`, each with its address. */
export async function judgeNodes(nodes, findings) {
  const requirements = new Requirements();
  for (const { address, node } of nodes) {
    const issues = await requirements.validate({ jsonld: { [node['@type']]: [structuredClone(node)] } });
    for (const { severity, issueMessage, rootType } of issues) findings.add(address, `JSON-LD, ${rootType}: ${severity} ${issueMessage}`);
  }
  // Properties of an action may have the suffix `-input`, which the types lack for nested actions.
  const typed = (node) => JSON.stringify(node, (name, value) => (name.endsWith('-input') ? undefined : value));
  const lines = nodes.map(({ node }, at) => `export const node${at}: Thing = ${typed(node)};`);
  for (const { line, message } of compiled(['import type { Thing } from "schema-dts";', ...lines].join('\n'))) {
    const { address, node } = nodes[line - 1] ?? {};
    findings.add(address ?? FILE, `JSON-LD, ${node?.['@type']}: ${message}`);
  }
}

/** Returns the errors of the compiler on a text. */
function compiled(text) {
  const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => path === FILE || fileExists(path);
  host.readFile = (path) => (path === FILE ? text : readFile(path));
  return ts.getPreEmitDiagnostics(ts.createProgram([FILE], options, host)).map(({ file, start, messageText }) => ({
    line: file?.getLineAndCharacterOfPosition(start).line,
    message: ts.flattenDiagnosticMessageText(messageText, ' ').replace(/\s+/g, ' ').slice(0, 400),
  }));
}
