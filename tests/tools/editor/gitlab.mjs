// Answers the requests of the editor as GitLab does: REST below /api/v4, GraphQL at /api/graphql.

import { ADA, answering, proving, Refusal } from './forge.mjs';
import { answer } from './graphql.mjs';

/** How many records a page of GraphQL has. */
const PAGE = 100;

export function gitlab({ repository, token, origin, before, requests }) {
  const at = '/api/v4/projects/firm%2Fsite';
  const request = (number) => requests.find((each) => each.number === Number(number));
  const routes = [
    [/^GET \/api\/v4\/user$/, () => ({ ...ADA, username: ADA.login, web_url: '', avatar_url: '', bot: false })],
    [new RegExp(`^GET ${at}/users$`), () => [{ id: ADA.id }]],
    [new RegExp(`^GET ${at}/repository/files/([^/]+)/raw$`), (path, query) => repository.bytes(repository.tree(query.get('ref')).get(path).sha)],
    [new RegExp(`^POST ${at}/repository/commits$`), (query, body) => commit(body)],
    [new RegExp(`^GET ${at}/repository/commits/[^/]+/statuses$`), () => []],
    [new RegExp(`^GET ${at}/deployments$`), () => []],
    [new RegExp(`^GET ${at}/repository/branches/([^/]+)$`), (branch) => ({ commit: { id: repository.head(branch) } })],
    [new RegExp(`^DELETE ${at}/repository/branches/([^/]+)$`), (branch) => removed(branch)],
    [new RegExp(`^GET ${at}/merge_requests$`), (query) => listed(query)],
    [new RegExp(`^POST ${at}/merge_requests$`), (query, body) => opened(body)],
    [new RegExp(`^GET ${at}/merge_requests/(\\d+)$`), (number) => ({ ...requestOf(request(number)), detailed_merge_status: 'conflict' })],
    [new RegExp(`^GET ${at}/merge_requests/(\\d+)/diffs$`), (number) => diffs(request(number))],
    [new RegExp(`^PUT ${at}/merge_requests/(\\d+)$`), (number, query, body) => changed(request(number), body)],
    [new RegExp(`^PUT ${at}/merge_requests/(\\d+)/merge$`), (number, query, body) => merged(request(number), body)],
    [/^POST \/api\/graphql$/, (query, body) => ({ data: answer(body, { project: () => ({ repository: records }) }) })],
  ];

  const records = {
    rootRef: 'main',
    tree: ({ ref }) => ({
      lastCommit: { sha: repository.head(ref), message: repository.last(ref).message },
      blobs: ({ after }) => {
        const files = [...repository.tree(ref).values()];
        const end = Number(after) + PAGE;
        return { nodes: files.slice(Number(after), end), pageInfo: { endCursor: String(end), hasNextPage: end < files.length } };
      },
    }),
    blobs: ({ ref, paths }) => {
      const found = paths.map((path) => repository.tree(ref).get(path)).filter(Boolean);
      return { nodes: found.map(({ path, sha, size }) => ({ path, oid: sha, size: String(size), rawTextBlob: repository.bytes(sha).toString() })) };
    },
  };

  function commit({ branch, start_sha: start, commit_message: message, actions }) {
    if (start && repository.head(branch)) throw new Refusal(400, `A branch called '${branch}' already exists. Switch to that branch in order to make changes`);
    const parent = start ?? repository.head(branch);
    for (const { action, file_path: path, last_commit_id: read } of actions) {
      if (action === 'create' && repository.tree(parent).has(path)) throw new Refusal(400, 'A file with this name already exists');
      // Not the two commits are compared but the last ones before them that changed the file.
      const isStale = action !== 'create' && read && repository.last(parent, path).oid !== repository.last(read, path).oid;
      if (isStale) throw new Refusal(400, `The file has changed since you started editing it: ${path}`);
    }
    const contentOf = ({ action, content, encoding }) => action !== 'delete' && Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
    const files = actions.map((action) => ({ path: action.file_path, content: contentOf(action) }));
    const id = repository.commit({ branch, parent, files, message });
    return { id, committed_date: repository.last(id).date };
  }

  function removed(branch) {
    if (!repository.head(branch)) throw new Refusal(404, '404 Branch Not Found');
    repository.point(branch, null);
  }

  function listed(query) {
    const [label, branch] = [query.get('labels'), query.get('source_branch')];
    return requests.filter((each) => each.isOpen && (branch ? each.branch === branch : each.labels.includes(label))).map(requestOf);
  }

  function requestOf({ number, title, branch, labels }) {
    const now = new Date().toISOString();
    const author = { id: ADA.id, name: ADA.name, username: ADA.login };
    return { id: 1000 + number, iid: number, title, labels, web_url: '', source_branch: branch, sha: repository.head(branch), created_at: now, updated_at: now, author };
  }

  /** A draft is a title. */
  const titled = (title) => ({ title, isDraft: title.startsWith('Draft: ') });

  function opened({ title, source_branch: branch, target_branch: base, labels }) {
    if (requests.some((each) => each.branch === branch && each.isOpen)) throw new Refusal(409, 'Another open merge request already exists for this source branch');
    requests.push({ number: requests.length + 1, ...titled(title), branch, base, labels: labels.split(','), isOpen: true });
    return requestOf(requests.at(-1));
  }

  function diffs({ base, branch }) {
    return repository.changes(base, branch).map(([kind, path]) => ({ old_path: path, new_path: path, deleted_file: kind === 'D', renamed_file: false }));
  }

  function changed(request, { title, add_labels: added, remove_labels: removed }) {
    const labels = [...request.labels.filter((label) => !removed.split(',').includes(label)), added];
    return requestOf(Object.assign(request, titled(title), { labels }));
  }

  function merged(request, { sha, merge_commit_message: message }) {
    if (request.isDraft) throw new Refusal(405, '405 Method Not Allowed');
    if (sha !== repository.head(request.branch)) throw new Refusal(409, 'SHA does not match HEAD of source branch');
    if (!repository.merge(request.branch, request.base, message)) throw new Refusal(405, '405 Method Not Allowed');
    request.isOpen = false;
    repository.point(request.branch, null);
    return requestOf(request);
  }

  const open = proving('/oauth/authorize', '/oauth/token', token, origin);
  return answering({ origin, before, authorization: () => `Bearer ${token()}`, routes, open });
}
