// Responses that exist, have the right type and can be parsed.

/** Returns the text at `path`, or null after a finding. */
export async function text(site, findings, path, type) {
  const answer = await site.get(path);
  if (!findings.expect(answer.status === 200, path, `answers ${answer.status}`)) return null;
  const found = answer.headers.get('content-type') ?? 'no type';
  findings.expect(found.split(';')[0] === type, path, `is ${found}, not ${type}`);
  return answer.text;
}

/** Returns the JSON document at `path`, or null after a finding. */
export async function json(site, findings, path, type = 'application/json') {
  const body = await text(site, findings, path, type);
  if (body === null) return null;
  try {
    return JSON.parse(body);
  } catch (error) {
    findings.add(path, `is no JSON: ${error.message}`);
    return null;
  }
}

/** Expects `address` to be an absolute address of this site that answers. */
export async function resolves(site, findings, where, address) {
  if (!findings.expect(URL.canParse(address), where, `${address} is no absolute address`)) return;
  if (!findings.expect(address.startsWith(site.origin), where, `${address} is not of this site`)) return;
  const fault = await site.fault(address);
  if (fault) findings.add(where, fault);
}

/** Yields every text within `value`, at any depth. */
export function* texts(value) {
  if (typeof value === 'string') yield value;
  else if (value !== null && typeof value === 'object') for (const part of Object.values(value)) yield* texts(part);
}
