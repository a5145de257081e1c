// Two validators of others for JSON-LD: the types that Google publishes for the vocabulary of schema.org, and Adobe's reading
// of what search engines require.

import { join } from 'node:path';

import Requirements from '@adobe/structured-data-validator';
import ts from 'typescript';

/** A file that is nowhere but in the memory of the compiler. */
const FILE = join(import.meta.dirname, 'judged.ts');

/** Adds what is wrong with `nodes`, each with its address, in the view of either. */
export async function judgeNodes(nodes, findings) {
  const requirements = new Requirements();
  for (const { address, node } of nodes) {
    const issues = await requirements.validate({ jsonld: { [node['@type']]: [structuredClone(node)] } });
    for (const { severity, issueMessage, rootType } of issues) findings.add(address, `JSON-LD, ${rootType}: ${severity} ${issueMessage}`);
  }
  // Any property of an action may be announced with `-input`; the types know that of no action within another node.
  const typed = (node) => JSON.stringify(node, (name, value) => (name.endsWith('-input') ? undefined : value));
  const lines = nodes.map(({ node }, at) => `export const node${at}: Thing = ${typed(node)};`);
  for (const { line, message } of compiled(['import type { Thing } from "schema-dts";', ...lines].join('\n'))) {
    const { address, node } = nodes[line - 1] ?? {};
    findings.add(address ?? FILE, `JSON-LD, ${node?.['@type']}: ${message}`);
  }
}

/** Returns what the compiler says of a text. */
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
