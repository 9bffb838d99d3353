// Writes a token as a compact JWS (RFC 7515 §3.1). What is the same for every token of a key is made once.
import type { SigningKey } from '#shared/keys/key-ring.ts';

export interface TokenHeader {
  readonly alg: string;
  readonly typ: 'JWT';
  readonly kid: string;
}

/** A token as a value, before it is signed. */
export interface UnsignedToken {
  readonly use: 'access' | 'id' | 'refresh';
  readonly header: TokenHeader;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The header of every token that a key signs (CLM-01), one object for each key that is alive in this process. */
const headers = new WeakMap<SigningKey, TokenHeader>();
/** Encoded, with their dot. */
const prefixes = new WeakMap<TokenHeader, string>();

export function unsignedToken(
  use: UnsignedToken['use'],
  claims: UnsignedToken['claims'],
  key: SigningKey,
): UnsignedToken {
  return { use, header: headerOf(key), claims };
}

export async function writeToken(
  { header, claims }: Pick<UnsignedToken, 'header' | 'claims'>,
  { algorithm, privateKey }: SigningKey,
): Promise<string> {
  const signed = prefixOf(header) + encoded(claims);
  const signature = await algorithm.sign(Buffer.from(signed), privateKey);
  return `${signed}.${signature.toString('base64url')}`;
}

function headerOf(key: SigningKey): TokenHeader {
  let header = headers.get(key);
  if (header === undefined) {
    header = { alg: key.algorithm.name, typ: 'JWT', kid: key.kid };
    headers.set(key, header);
  }
  return header;
}

function prefixOf(header: TokenHeader): string {
  let prefix = prefixes.get(header);
  if (prefix === undefined) {
    prefix = `${encoded(header)}.`;
    prefixes.set(header, prefix);
  }
  return prefix;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
