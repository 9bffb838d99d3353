// The public half of a key in the forms that key sets and headers use.
import type { Document } from '#shared/engine/exchange/output-hooks.ts';
import { publicJwk } from '#shared/state/keys/key-pair.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';

/** The JWK as a key set shows it. */
export function publicJwkOf({ publicKey, kid }: Pick<SigningKey, 'publicKey' | 'kid'>): Document {
  return { ...publicJwk(publicKey, kid) };
}
