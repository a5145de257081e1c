// docs/hosts.md: written by hand, except for the tables between two marks.

const START = '<!-- made from tests/hosts/table.toml by `TEST_BLESS=1 scripts/test hosts` -->';
const END = '<!-- end -->';

/** Returns the document with new tables. */
export function document(table, groups, hosts, present) {
  const [before, rest] = present.split(START);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/hosts.md lacks \`${START}\` or \`${END}\``);
  return `${before}${START}\n\n${tables(table, groups, hosts)}\n${END}${after}`;
}

function tables(table, groups, hosts) {
  const reasons = new Map();
  const marks = new Map(hosts.map((host) => [host, new Map()]));
  for (const host of hosts) {
    for (const { why, rows } of table.hosts[host]?.except ?? []) {
      if (!reasons.has(why)) reasons.set(why, reasons.size + 1);
      for (const id of rows) marks.get(host).set(id, reasons.get(why));
    }
  }
  const all = groups.flatMap(([, group]) => group.rows);
  const sums = hosts.map((host) => `${all.length - marks.get(host).size}`);
  const head = `| | ${hosts.join(' | ')} |\n|---|${hosts.map(() => '---:|').join('')}`;
  const lines = [`${head}\n| **of ${all.length} requests** | ${sums.join(' | ')} |`];
  for (const [, { title, rows }] of groups) {
    const count = (host) => rows.filter(({ id }) => !marks.get(host).has(id)).length;
    lines[0] += `\n| ${title} (${rows.length}) | ${hosts.map((host) => count(host) || '–').join(' | ')} |`;
  }
  for (const [, { title, rows }] of groups) {
    const cell = (host, id) => (marks.get(host).has(id) ? String(marks.get(host).get(id)) : '✓');
    const each = rows.map(({ id, shows, method, path, fields }) => {
      const sent = Object.entries(fields ?? {}).map(([name, value]) => `${name}: ${value}`);
      const request = [`${method ?? 'GET'} ${path}`, ...sent].map(shortened).join(', ');
      return `| ${shows}: \`${request}\` | ${hosts.map((host) => cell(host, id)).join(' | ')} |`;
    });
    lines.push(`### ${title}\n\n| answer | ${hosts.join(' | ')} |\n|---|${hosts.map(() => ':-:|').join('')}\n${each.join('\n')}`);
  }
  const why = [...reasons].map(([text, number]) => `${number}. ${text}`);
  lines.push(`### Why not\n\n${why.join('\n')}`);
  return `${lines.join('\n\n')}\n`;
}

/** Removes backticks, escapes bars, which would end the cell, and cuts long texts. */
function shortened(text) {
  const plain = text.replaceAll('|', '\\|').replaceAll('`', '');
  return plain.length > 60 ? `${plain.slice(0, 57)}…` : plain;
}
