// Makes an agent provider: its key, and the trust list of a service that trusts it for a client with a secret.
//
//   node provider.mjs FOLDER

import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = (key) => ({ ...key.export({ format: 'jwk' }), kid: 'key', alg: 'ES256' });
const provider = {
  issuer: 'https://provider.example', client: 'https://agents.example/client', secret: `${randomBytes(24).toString('base64')}+/:%`,
  key: jwk(privateKey),
};
writeFileSync(join(folder, 'provider.json'), JSON.stringify(provider));
writeFileSync(join(folder, 'trust.toml'), `[[provider]]
issuer = "${provider.issuer}"
name = "Example Agents"
jwks = '${JSON.stringify({ keys: [jwk(publicKey)] })}'
[[provider.client]]
id = "${provider.client}"
secret_sha256 = "${createHash('sha256').update(provider.secret).digest('hex')}"
`);
