// Tokens of a response, signed again for a fault. The endpoint signs normally through a signer that keeps what it
// signed. Which fault fires is known only when the whole response exists.

import type { Document } from '#shared/engine/exchange/output-hooks.ts';
import { accessTokenHash } from '#shared/engine/tokens/access-token-hash.ts';
import type { Signer } from '#shared/engine/tokens/signer.ts';
import type { UnsignedToken } from '#shared/engine/tokens/write-token.ts';
import { decodeToken } from '#shared/model/domain/decoded-token.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import type { AlteredToken, DraftToken, FaultSite, FaultTransform } from './fault-row.ts';

export interface SignedToken {
  readonly token: UnsignedToken;
  readonly key: SigningKey;
  readonly compact: string;
}

const members = { id: 'id_token', access: 'access_token', refresh: 'refresh_token' } as const;

export function recordingSigner(signer: Signer, signed: SignedToken[]): Signer {
  return {
    signingKey: () => signer.signingKey(),
    async signToken(token, key) {
      const compact = await signer.signToken(token, key);
      // As it was written: with the mark of its namespace (SBX-28).
      signed.push({ token: { ...token, claims: decodeToken(compact)?.payload ?? token.claims }, key, compact });
      return compact;
    },
  };
}

/**
 * The response with that token changed; undefined when it has none. An ID token beside a changed access token is
 * updated to match it.
 */
export async function rewriteTokens(
  answer: Document,
  signed: readonly SignedToken[],
  transform: Extract<FaultTransform, { hookPoint: 'token' }>,
  site: FaultSite,
): Promise<Document | undefined> {
  const { use, change } = transform;
  const found = tokenOf(answer, signed, use);
  const hooked = found && change(draftOf(found), site);
  if (found === undefined || hooked === undefined) return undefined;
  const compact = await writeAltered(hooked, found.key);
  const changed = { ...answer, [members[use]]: compact };
  const idToken = use === 'access' ? tokenOf(answer, signed, 'id') : undefined;
  if (idToken?.token.claims.at_hash === undefined) return changed;
  const claims = { ...idToken.token.claims, at_hash: accessTokenHash(compact) };
  return { ...changed, id_token: await writeAltered({ ...draftOf(idToken), claims }, idToken.key) };
}

/** A single token; undefined when it was not signed here, or lacks the part to change. */
export async function rewriteToken(
  compact: string,
  signed: readonly SignedToken[],
  change: (token: DraftToken) => AlteredToken | undefined,
): Promise<string | undefined> {
  const found = signed.find((each) => each.compact === compact);
  const hooked = found && change(draftOf(found));
  return found === undefined || hooked === undefined ? undefined : writeAltered(hooked, found.key);
}

/** Signs every token of the response again, with this key or the one that signed it. */
export async function rewriteAll(
  answer: Document,
  signed: readonly SignedToken[],
  change: (token: DraftToken) => AlteredToken,
  key?: SigningKey,
): Promise<Document> {
  const changed: Record<string, unknown> = { ...answer };
  for (const use of ['access', 'refresh', 'id'] as const) {
    const found = tokenOf(answer, signed, use);
    if (found === undefined) continue;
    const { header, claims, ...signing } = change(draftOf(found));
    const fitting = claims.at_hash === undefined ? {} : { at_hash: accessTokenHash(String(changed.access_token)) };
    const hooked = { ...signing, header, claims: { ...claims, ...fitting } };
    changed[members[use]] = await writeAltered(hooked, key ?? found.key);
  }
  return changed;
}

function tokenOf(answer: Document, signed: readonly SignedToken[], use: DraftToken['use']): SignedToken | undefined {
  return signed.find(({ token, compact }) => token.use === use && answer[members[use]] === compact);
}

function draftOf({ token: { use, header, claims } }: SignedToken): DraftToken {
  return { use, header: { ...header }, claims };
}

/** The token's text, signed by the key unless the change gives a signature. */
async function writeAltered(
  { header, claims, payloadText, signature, written }: AlteredToken,
  { algorithm, privateKey }: SigningKey,
): Promise<string> {
  const input = `${encoded(JSON.stringify(header))}.${encoded(payloadText ?? JSON.stringify(claims))}`;
  const bytes = Buffer.from(input);
  const made = signature === undefined ? await algorithm.sign(bytes, privateKey) : await signature(bytes);
  const compact = `${input}.${made.toString('base64url')}`;
  return written === undefined ? compact : written(compact);
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}
