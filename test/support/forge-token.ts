// Signs any claims with the program's own key from its keys directory, for tokens that the program itself never issues
// (without exp, without client binding, with a null client_id).
import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function forgeToken(idp: { root: string }, claims: object, header: object = {}): string {
  const { active_kid: kid } = JSON.parse(readFileSync(join(idp.root, 'keys', 'keys.json'), 'utf8')) as {
    active_kid: string;
  };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid, ...header })}.${encode(claims)}`;
  const key = readFileSync(join(idp.root, 'keys', 'rsa_private.pem'), 'utf8');
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
}
