// Who signs for a request: the choice of the key and the writing of tokens, as one value that reaches endpoints through
// their context. Another signer in its place makes other signatures without any endpoint noticing.
import type { TokenMark } from '#shared/model/domain/token-mark.ts';
import type { KeyRing, SigningKey } from '#shared/state/keys/key-ring.ts';
import { type UnsignedToken, writeToken } from './write-token.ts';

export interface Signer {
  /** The key for whatever this request signs, tokens and XML; an answer asks once for all it signs. */
  signingKey(): Promise<SigningKey>;
  /** A token as it goes out: the one place where header and claims become text. */
  signToken(token: UnsignedToken, key: SigningKey): Promise<string>;
}

/** Signs with the active key, and writes what it is given; where the keys have a mark, every jti ends with it. */
export function keyRingSigner(keys: Pick<KeyRing, 'signingKey' | 'tokenMark'>): Signer {
  const { tokenMark: mark = '' } = keys;
  return {
    signingKey: () => keys.signingKey(),
    signToken: mark === '' ? writeToken : (token, key) => writeToken(marked(token, mark), key),
  };
}

function marked({ claims, ...token }: UnsignedToken, mark: TokenMark): UnsignedToken {
  return { ...token, claims: typeof claims.jti === 'string' ? { ...claims, jti: claims.jti + mark } : claims };
}
