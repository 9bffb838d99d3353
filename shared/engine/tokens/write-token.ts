// Writes a token as a compact JWS (RFC 7515 §3.1). The parts that all tokens of a key share are made once.
import type { markInHeader, TokenMark } from '#shared/model/domain/token-mark.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';

export type TokenType = 'JWT' | 'at+jwt' | 'logout+jwt';

interface TokenHeader {
  readonly alg: string;
  readonly typ: TokenType;
  readonly kid: string;
  readonly [markInHeader]?: TokenMark;
}

/** A token as a value, before it is signed. */
export interface UnsignedToken {
  readonly use: 'access' | 'id' | 'refresh';
  readonly header: TokenHeader;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The headers of the tokens that a key signs (CLM-01): one object of each type for each key in this process. */
const headers: Readonly<Record<TokenType, WeakMap<SigningKey, TokenHeader>>> = {
  JWT: new WeakMap(),
  'at+jwt': new WeakMap(),
  'logout+jwt': new WeakMap(),
};
/** The encoded headers, with their dot. */
const prefixes = new WeakMap<TokenHeader, string>();

export function unsignedToken(
  use: UnsignedToken['use'],
  claims: UnsignedToken['claims'],
  key: SigningKey,
  typ: TokenType = 'JWT',
): UnsignedToken {
  return { use, header: headerOf(key, typ), claims };
}

export async function writeToken(
  { header, claims }: Pick<UnsignedToken, 'header' | 'claims'>,
  { algorithm, privateKey }: SigningKey,
): Promise<string> {
  const signed = prefixOf(header) + encoded(claims);
  const signature = await algorithm.sign(Buffer.from(signed), privateKey);
  return `${signed}.${signature.toString('base64url')}`;
}

function headerOf(key: SigningKey, typ: TokenType): TokenHeader {
  let header = headers[typ].get(key);
  if (header === undefined) {
    header = { alg: key.algorithm.name, typ, kid: key.kid };
    headers[typ].set(key, header);
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
