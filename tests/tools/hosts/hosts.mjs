// Every host with a folder: how it runs here, whether it forwards requests to a sidecar, whether it answers at
// every address of a build, whether the edge module answers everything but assets, whether the version here
// reads only the first of several lines of a field, and which rules are spoiled to
// prove the table: name, file, text, and its replacement; without texts, the
// file is removed.

import { cloudflare } from './cloudflare.mjs';
import { cloudfront } from './cloudfront.mjs';
import { netlify } from './netlify.mjs';
import { githubPages } from './pages.mjs';
import { apache, caddy, nginx, nginxReadsOneLine } from './programs.mjs';
import { vercel } from './vercel.mjs';

export const HOSTS = {
  cloudflare: {
    start: cloudflare,
    tables: 'worker/tables.js',
    client: '127.0.0.1',
    sidecar: true,
    isEdge: true,
    spoils: [
      ['the default language', 'worker/tables.js', '"default_locale":"en"', '"default_locale":"tr"'],
      ['a former address', 'worker/tables.js', '"/tr/about":', '"/tr/abaut":'],
      ['the fields of assets', 'public/_headers', 'immutable', 'private'],
      ['what the Worker runs for', 'wrangler.jsonc', '"/*"', '"/api/*"'],
      ['the folder', 'wrangler.jsonc', '"./public"', '"./worker"'],
      ['the Worker', 'worker/cloudflare.js', 'found.status === 200', 'found.status !== 200'],
      ['the weights', 'worker/negotiate.js', 'markdown.quality >= wanted', 'markdown.quality > wanted'],
      ['the methods', 'worker/handle.js', "'GET, HEAD'", "'GET'"],
      ['what is not uploaded', 'public/.assetsignore', 'manifest.json', '*.html'],
    ],
  },
  netlify: {
    start: netlify,
    tables: 'netlify/edge/tables.js',
    client: '192.0.2.7',
    sidecar: true,
    spoils: [
      ['a redirect', 'public/_redirects', '/tr/about ', '/tr/abaut '],
      ['the fields of assets', 'public/_headers', 'immutable', 'private'],
      ['the folder', 'netlify.toml', 'publish = "public"', 'publish = "netlify"'],
      ['requests for Markdown', 'netlify/edge-functions/markdown.js', '[mM][aA]', '[xX][aA]'],
      ['where documents are', 'netlify/edge-functions/documents.js', '"/api/*"', '"/apis/*"'],
      ['which methods are refused', 'netlify/edge-functions/methods.js', '"OPTIONS"', '"TRACE"'],
      ['the table', 'netlify/edge/tables.js', '"default_locale":"en"', '"default_locale":"tr"'],
      ['the function', 'netlify/edge/netlify.js', 'found.status === 200', 'found.status !== 200'],
      ['the weights', 'netlify/edge/negotiate.js', 'markdown.quality >= wanted', 'markdown.quality > wanted'],
      ['the methods', 'netlify/edge/handle.js', "'GET, HEAD'", "'GET'"],
    ],
  },
  vercel: {
    start: vercel,
    tables: 'edge/tables.js',
    client: '192.0.2.7',
    sidecar: true,
    isEdge: true,
    spoils: [
      ['the fields of assets', 'vercel.json', 'immutable', 'private'],
      ['what the middleware runs for', 'middleware.js', 'assets/).*', 'assets/|en/).*'],
      ['the table', 'edge/tables.js', '"default_locale":"en"', '"default_locale":"tr"'],
      ['the weights', 'edge/negotiate.js', 'markdown.quality >= wanted', 'markdown.quality > wanted'],
      ['the methods', 'edge/handle.js', "'GET, HEAD'", "'GET'"],
      ['how modules are written', 'package.json', '"module"', '"commonjs"'],
    ],
  },
  cloudfront: {
    start: cloudfront,
    spoils: [
      ['a former address', 'redirects.json', '"/tr/about"', '"/tr/abaut"'],
      ['a media type', 'upload.json', 'application/atom+xml', 'application/xml'],
      ['the function for requests', 'functions/request.js', 'md >= html', 'md > html'],
      ['a field of its own', 'functions/request.js', "delete request.headers['x-mecelle-path'];", ''],
      ['the function for responses', 'functions/response.js', 'canonical', 'alternate'],
      ['the page for missing ones', 'behaviours.json', '"/404.html"', '"/en.html"'],
    ],
  },
  'github-pages': {
    start: githubPages,
    // The kind by the doctor; the others are `edge`.
    kind: 'files',
    // No query, no redirect, no media type of its own.
    isWhole: false,
    spoils: [
      ['a page', 'public/en/about.html', '<html', '<htm'],
      ['what keeps Jekyll away', 'public/.nojekyll'],
    ],
  },
  nginx: {
    start: nginx,
    readsOneLine: nginxReadsOneLine,
    client: '127.0.0.1',
    sidecar: true,
    spoils: [
      ['a former address', 'nginx.conf', '"/tr/about" /tr/', '"/tr/abaut" /tr/'],
      ['a section', 'nginx.conf', '^/tr/publications/', '^/tr/publicatians/'],
      ['the sandbox key', 'nginx.conf', '"~^sandbox_', '"~^sandbax_'],
      ['a media type', 'nginx.conf', "default_type 'application/atom+xml", "default_type 'application/xml"],
      ['the tie', 'nginx.conf', 'q=\\1', 'q=x\\1'],
    ],
  },
  caddy: {
    start: caddy,
    client: '127.0.0.1',
    sidecar: true,
    spoils: [
      ['a former address', 'Caddyfile', '"/tr/about" /tr/', '"/tr/abaut" /tr/'],
      ['a section', 'Caddyfile', '^/tr/publications/', '^/tr/publicatians/'],
      ['the challenge', 'Caddyfile', 'www-authenticate', 'www-authenticates'],
      ['a language', 'Caddyfile', 'default en', 'default tr'],
    ],
  },
  apache: {
    start: apache,
    spoils: [
      ['a former address', 'public/.htaccess', '"=/tr/about"', '"=/tr/abaut"'],
      ['a section', 'public/.htaccess', '^/tr/publications/', '^/tr/publicatians/'],
      ...['invalid_api_key', 'invalid_locale', 'method_not_allowed', 'not_found', 'uri_too_long'].map((code) => [
        `the reply ${code}`,
        `public/.replies/${code}.json`,
        code,
        'other',
      ]),
      ['the reply without a service', 'public/.replies/no_service.json', '"unavailable"', '"other"'],
      ['the reply to what is not acceptable', 'public/.replies/not_acceptable.txt', 'text/markdown', 'markdown'],
      ['a media type', 'public/.htaccess', 'application/atom+xml', 'application/xml'],
    ],
  },
};

/** Files of a folder that are not spoiled, with the reason. */
export const UNSPOILED = {
  'worker/scheduled.js': 'It answers no request; scheduled.mjs runs it.',
  'netlify/edge/scheduled.js': 'It answers no request; scheduled.mjs runs it.',
  'netlify/functions/scheduled.mjs': 'It answers no request; scheduled.mjs runs it.',
  '.mecelle-host': 'Only the generator reads it, when it writes the folder again; its own tests damage it.',
  // Pages of GitHub Pages that lead on, which no status tells.
  'public/makale/uzaktan çalışma.html': 'Tests of the generator read what it leads to.',
  'public/2019/05/12/uzaktan-calisma/index.html': 'Tests of the generator read what it leads to.',
};
