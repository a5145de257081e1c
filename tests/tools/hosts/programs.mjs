// Web servers, each in a folder of its own with the generated settings.

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './process.mjs';

/** Returns whether nginx reads only the first of several lines of a field, as it did before 1.23. */
export function nginxReadsOneLine() {
  const [, major, minor] = /nginx\/(\d+)\.(\d+)/.exec(spawnSync('nginx', ['-v']).stderr.toString());
  return major * 1000 + +minor < 1023;
}

/** Security: its log must contain no request, since links in emails contain secrets. */
export async function nginx(folder) {
  const prefix = join(folder, 'run');
  mkdirSync(join(prefix, 'temp'), { recursive: true });
  const own = (port) =>
    readFileSync(join(folder, 'nginx.conf'), 'utf8')
      .replaceAll(/^ *(?:listen \[::\]|ssl_).*\n/gm, '')
      .replace('listen 80;', `listen unix:${join(prefix, `${port}`)};`)
      .replace(/listen \d+(?: ssl http2)?;/, `listen 127.0.0.1:${port};`)
      .replace('/var/log/nginx/error.log', join(prefix, 'errors'))
      .replace(/root \S*\/public;/, `root ${join(folder, 'public')};`);
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path temp/${name};`);
  const args = (port) => {
    writeFileSync(join(prefix, 'site.conf'), own(port));
    // The settings that a machine needs once.
    const machine = /(?:\w+_hash_\w+ \d+; ?)+/.exec(own(port))[0];
    const http = [...temp, 'access_log requests;', machine, 'include site.conf;'].join('\n');
    writeFileSync(join(prefix, 'nginx.conf'), `daemon off;\npid nginx.pid;\nuser root;\nevents { }\nhttp {\n${http}\n}\n`);
    return ['-p', prefix, '-c', 'nginx.conf', '-e', 'log'];
  };
  const running = await serve('nginx', args, { ready: sign(folder), folder: prefix });
  const stop = async () => {
    await running.stop();
    const written = ['requests', 'errors'].map((name) => readFileSync(join(prefix, name), 'utf8')).join('');
    if (/"[A-Z]+ \//.test(written)) throw new Error(`nginx has written requests down: ${written.slice(0, 200)}`);
  };
  return { ...running, stop };
}

/** Started by root, Apache runs as another user, who must have access to the files. */
export async function apache(made) {
  const folder = mkdtempSync(join(tmpdir(), 'mecelle-apache.'));
  chmodSync(folder, 0o755);
  cpSync(made, folder, { recursive: true });
  const prefix = join(folder, 'run');
  mkdirSync(prefix);
  const modules = ['mpm_event', 'authz_core', 'mime', 'dir', 'rewrite', 'headers', 'env', 'setenvif', 'alias'];
  const args = (port) => {
    const site = join(folder, 'public');
    const lines = [
      `ServerRoot ${prefix}`,
      `Listen 127.0.0.1:${port}`,
      ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
      'ServerName ornek.example',
      'User www-data',
      'Group www-data',
      'PidFile httpd.pid',
      'ErrorLog log',
      'TypesConfig /dev/null',
      'LimitRequestLine 16000',
      `DocumentRoot ${site}`,
      `<Directory ${site}>\nAllowOverride All\nRequire all granted\n</Directory>`,
    ];
    writeFileSync(join(prefix, 'httpd.conf'), lines.join('\n') + '\n');
    return ['-f', join(prefix, 'httpd.conf'), '-D', 'FOREGROUND'];
  };
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  try {
    const { url, stop } = await serve('apache2', args, { ready: sign(folder), folder: prefix });
    return { url, stop: () => stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

export function caddy(folder) {
  const prefix = join(folder, 'run');
  mkdirSync(prefix, { recursive: true });
  const args = (port) => {
    const own = readFileSync(join(folder, 'Caddyfile'), 'utf8')
      .replace(/^\S+ \{\n\troot .*$/m, `http://127.0.0.1:${port} {\n\tbind 127.0.0.1\n\troot * ${join(folder, 'public')}`);
    writeFileSync(join(prefix, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n}\n${own}`);
    return ['run', '--config', join(prefix, 'Caddyfile'), '--adapter', 'caddyfile'];
  };
  const env = { XDG_DATA_HOME: prefix, XDG_CONFIG_HOME: prefix };
  return serve('caddy', args, { ready: sign(folder), folder: prefix, env });
}

/** Adds an asset with a unique name, and returns its address. */
function sign(folder) {
  const name = `${randomUUID()}.txt`;
  mkdirSync(join(folder, 'public/assets'), { recursive: true });
  writeFileSync(join(folder, 'public/assets', name), '');
  return `/assets/${name}`;
}
