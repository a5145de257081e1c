// Answers the requests of the editor as Forgejo does.

import { ADA, answering, proving, Refusal } from './forge.mjs';

export function forgejo({ repository, token, origin, before }) {
  const at = '/api/v1/repos/firm/site';
  const shaOf = (path) => repository.tree().get(path)?.sha;
  const routes = [
    [/^GET \/api\/v1\/version$/, () => ({ version: '15.0.0+gitea-1.22.0' })],
    [/^GET \/api\/v1\/user$/, () => ({ ...ADA, full_name: ADA.name, html_url: '', avatar_url: '' })],
    [/^GET \/api\/v1\/settings\/api$/, () => ({ default_paging_num: 100, max_response_items: 100, default_max_blob_size: 10485760 })],
    [new RegExp(`^GET ${at}$`), () => ({ default_branch: 'main', permissions: { pull: true, push: true } })],
    [new RegExp(`^GET ${at}/branches/main$`), () => ({ commit: { id: repository.head(), message: repository.last().message } })],
    [new RegExp(`^GET ${at}/git/trees/[^/]+$`), () => ({ tree: [...repository.tree().values()], truncated: false })],
    [new RegExp(`^GET ${at}/git/blobs$`), (query) => query.get('shas').split(',').map(blob)],
    [new RegExp(`^GET ${at}/media/main/(.*)$`), (path) => repository.bytes(shaOf(path))],
    [new RegExp(`^GET ${at}/commits$`), () => []],
    [new RegExp(`^POST ${at}/contents$`), (query, body) => commit(body)],
  ];

  function blob(sha) {
    const content = repository.bytes(sha);
    return { sha, size: content.length, encoding: 'base64', content: content.toString('base64') };
  }

  function commit({ message, files, author }) {
    // Whoever changes a file names the state of it that was read.
    if (files.some(({ operation, path, sha }) => operation !== 'create' && sha !== shaOf(path))) throw new Refusal(422, 'sha does not match');
    const contents = files.map(({ operation, path, content }) => ({ path, content: operation !== 'delete' && Buffer.from(content, 'base64') }));
    const sha = repository.commit({ files: contents, message, author });
    return { commit: { sha, created: repository.last().date }, files: files.map(({ path }) => ({ path, sha: shaOf(path) })) };
  }

  const open = proving('/login/oauth/authorize', '/login/oauth/access_token', token, origin);
  return answering({ origin, before, authorization: () => `token ${token()}`, routes, open });
}
