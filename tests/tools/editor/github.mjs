// Answers the requests of the editor as a GitHub Enterprise Server does: REST below /api/v3, GraphQL at /api/graphql. The service that
// signs in (`sign_in`) is at the same address.

import { ADA, answering, Refusal } from './forge.mjs';
import { answer } from './graphql.mjs';

/** `hasDrafts()` is false for a private repository of a free plan, which has no drafts of pull requests. */
export function github({ repository, token, origin, before, requests, hasDrafts }) {
  const at = '/api/v3/repos/firm/site';
  const request = (number) => requests.find((each) => each.number === Number(number));
  const routes = [
    [/^GET \/api\/v3\/user$/, () => ({ ...ADA, html_url: '', avatar_url: '' })],
    [new RegExp(`^GET ${at}/collaborators/ada$`), () => undefined],
    [new RegExp(`^GET ${at}/git/trees/(.*)$`), (commit) => ({ tree: [...repository.tree(commit).values()], truncated: false })],
    [new RegExp(`^GET ${at}/git/blobs/(.*)$`), (sha) => repository.bytes(sha)],
    [new RegExp(`^DELETE ${at}/git/refs/heads/(.*)$`), (branch) => repository.point(branch, null)],
    [new RegExp(`^POST ${at}/pulls$`), (query, body) => opened(body)],
    [new RegExp(`^PUT ${at}/pulls/(\\d+)/merge$`), (number, query, body) => merged(request(number), body)],
    [new RegExp(`^GET ${at}/issues/(\\d+)$`), (number) => ({ labels: request(number).labels.map((name) => ({ name })) })],
    [new RegExp(`^PATCH ${at}/issues/(\\d+)$`), (number, query, { labels }) => Object.assign(request(number), { labels })],
    [new RegExp(`^POST ${at}/issues/(\\d+)/labels$`), (number, query, { labels }) => request(number).labels.push(...labels)],
    [/^POST \/api\/graphql$/, (query, body) => graphql(body)],
  ];

  function opened({ title, head: branch, base, draft }) {
    if (draft && !hasDrafts()) throw new Refusal(422, 'Draft pull requests are not supported in this repository.');
    if (requests.some((each) => each.branch === branch && each.isOpen)) throw new Refusal(422, `A pull request already exists for firm:${branch}.`);
    const number = requests.push({ number: requests.length + 1, title, branch, base, isDraft: draft, isOpen: true, labels: [] });
    const now = new Date().toISOString();
    return { number, node_id: `request-${number}`, title, html_url: '', head: { sha: repository.head(branch) }, created_at: now, updated_at: now };
  }

  function merged(request, { commit_title: title }) {
    if (request.isDraft) throw new Refusal(405, 'Pull Request is still a draft');
    const sha = repository.merge(request.branch, request.base, title);
    if (!sha) throw new Refusal(405, 'Pull Request is not mergeable');
    request.isOpen = false;
    return { sha, merged: true };
  }

  // Errors of GraphQL have the status 200.
  function graphql(body) {
    try {
      return { data: answer(body, { repository: records, ...mutations }) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { data: null, errors: [{ message: error.message }] };
    }
  }

  const records = () => ({
    id: 'site',
    defaultBranchRef: { name: 'main' },
    ref: ({ qualifiedName: branch }) => (repository.head(branch) ? { target: commitOf(branch) } : null),
    object: ({ oid, expression }) => {
      const [branch, path] = expression?.split(':') ?? [];
      const sha = oid ?? repository.tree(branch).get(path)?.sha;
      return sha ? (blobOf(sha) ?? commitOf(sha)) : null;
    },
    pullRequests: ({ labels, headRefName: branch }) => {
      const found = requests.filter((each) => each.isOpen && (branch ? each.branch === branch : each.labels.some((label) => labels.includes(label))));
      return { totalCount: found.length, nodes: found.map(requestOf) };
    },
  });

  function commitOf(name, path) {
    const { oid, author, email, date, message } = repository.last(name, path);
    const none = { nodes: [] };
    return {
      oid,
      message,
      committedDate: date,
      author: { name: author, email, user: null },
      history: ({ path: below }) => ({ nodes: [commitOf(name, below)] }),
      status: null,
      deployments: none,
      checkSuites: none,
    };
  }

  function blobOf(oid) {
    const bytes = repository.bytes(oid);
    const isBinary = bytes?.includes(0);
    return bytes ? { oid, byteSize: bytes.length, isBinary, isTruncated: false, text: isBinary ? null : bytes.toString() } : null;
  }

  function requestOf({ number, title, branch, base, isDraft, labels }) {
    const now = new Date().toISOString();
    const kinds = { A: 'ADDED', M: 'MODIFIED', D: 'DELETED' };
    return {
      ...{ id: `request-${number}`, number, title, isDraft, url: '', isCrossRepository: false, createdAt: now, updatedAt: now },
      ...{ headRefName: branch, headRefOid: repository.head(branch), author: { ...ADA, avatarUrl: '', databaseId: ADA.id } },
      labels: { nodes: labels.map((name) => ({ name })) },
      files: { nodes: repository.changes(base, branch).map(([kind, path]) => ({ path, changeType: kinds[kind] })) },
    };
  }

  const drafted = (isDraft) => ({ input }) => {
    if (!hasDrafts()) throw new Refusal(200, 'Draft pull requests are not supported in this repository.');
    return { pullRequest: Object.assign(request(input.pullRequestId.split('-')[1]), { isDraft }) };
  };

  const mutations = {
    createRef: ({ input: { name, oid } }) => {
      const branch = name.replace('refs/heads/', '');
      if (repository.head(branch)) throw new Refusal(200, `A ref named "${name}" already exists in the repository.`);
      repository.point(branch, oid);
      return { ref: { name: branch } };
    },
    createCommitOnBranch: ({ input: { branch: { branchName: branch }, expectedHeadOid: parent, fileChanges, message } }) => {
      if (repository.head(branch) !== parent) throw new Refusal(200, `Expected branch to point to "${parent}" but it did not.  Pull and try again.`);
      const added = fileChanges.additions.map(({ path, contents }) => ({ path, content: Buffer.from(contents, 'base64') }));
      const oid = repository.commit({ branch, files: [...fileChanges.deletions, ...added], message: message.headline });
      return { commit: { oid, committedDate: repository.last(oid).date, file: ({ path }) => ({ oid: repository.tree(oid).get(path).sha }) } };
    },
    convertPullRequestToDraft: drafted(true),
    markPullRequestReadyForReview: drafted(false),
  };

  // The page that the editor opens hands over the token in two messages.
  const signIn = (query) => {
    const isKnown = query.get('provider') === 'github' && query.get('site_id') === new URL(origin()).hostname;
    const given = `authorization:github:success:${JSON.stringify({ provider: 'github', token: token() })}`;
    const script = `onmessage = ({ origin }) => opener.postMessage(${JSON.stringify(given)}, origin); opener.postMessage('authorizing:github', '*');`;
    return isKnown ? `<script>${script}</script>` : '';
  };
  return answering({ origin, before, authorization: () => `token ${token()}`, routes, open: [[/^GET \/auth$/, signIn]] });
}
