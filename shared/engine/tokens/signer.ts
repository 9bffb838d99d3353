// The signer of a request: it chooses the key and writes tokens, as one value that endpoints get through their context.
// Another signer can replace it without a change of any endpoint.
import { markInHeader, type TokenMark } from '#shared/model/domain/token-mark.ts';
import type { KeyRing, SigningKey } from '#shared/state/keys/key-ring.ts';
import { type UnsignedToken, writeToken } from './write-token.ts';

export interface Signer {
  /** The key for everything that this request signs, tokens and XML. Called once for each response. */
  signingKey(): Promise<SigningKey>;
  /** A token in its final form: the only place where header and claims become text. */
  signToken(token: UnsignedToken, key: SigningKey): Promise<string>;
}

/** Signs with the active key, and writes the given token. If the keys have a mark, every jti ends with it. */
export function keyRingSigner(keys: Pick<KeyRing, 'signingKey' | 'tokenMark'>): Signer {
  const { tokenMark: mark = '' } = keys;
  return {
    signingKey: () => keys.signingKey(),
    signToken: mark === '' ? writeToken : (token, key) => writeToken(marked(token, mark), key),
  };
}

/** A test token can be without a text in jti (TTK-01). Its header has the mark then. */
function marked({ claims, header, use }: UnsignedToken, mark: TokenMark): UnsignedToken {
  const { jti } = claims;
  if (typeof jti !== 'string') return { use, header: { ...header, [markInHeader]: mark }, claims };
  return { use, header, claims: { ...claims, jti: jti + mark } };
}
