// Calls the build hook of the forge once a change that the build scheduled is due. Until the new build is online, every run calls it
// again: a call may be lost, and a build may fail.

/** Milliseconds that the forge has for its answer. */
const PATIENCE = 10_000;

/**
 * Settings come from `env`: MECELLE_BUILD_HOOK is the https address of the hook; MECELLE_BUILD_HOOK_TOKEN, if set, is sent as
 * `Authorization: Bearer`; MECELLE_BUILD_HOOK_BODY replaces the body `{"ref":"main"}`.
 */
export async function buildWhenDue(due, now, env, send = fetch) {
  const hook = env('MECELLE_BUILD_HOOK');
  if (!hook || !due || now < Date.parse(due)) return false;
  if (!isPrivate(hook)) throw new Error('MECELLE_BUILD_HOOK must be an https address');
  const headers = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'mecelle-scheduled' };
  const token = env('MECELLE_BUILD_HOOK_TOKEN');
  if (token) headers.authorization = `Bearer ${token}`;
  const body = env('MECELLE_BUILD_HOOK_BODY') || '{"ref":"main"}';
  // Security: a redirect would lead the token elsewhere.
  const response = await send(hook, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) });
  if (response.status < 200 || response.status > 299) throw new Error(`the build hook answered ${response.status}`);
  return true;
}

/** Returns whether the token is encrypted on its way; addresses of this machine are for tests. */
function isPrivate(hook) {
  const { protocol, hostname } = URL.canParse(hook) ? new URL(hook) : {};
  return protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1');
}
