// A family of refresh tokens: every token of one grant. With rotation each use spends the token and brings its successor;
// whoever presents a spent one revokes the family (REF-14 to REF-18, RFC 9700 §4.14.2).
//
// A token is the n-th of its line. A use with rotation goes on in the line, and the line remembers one number, however
// often it was rotated; a use without rotation leaves the token valid and begins a line of its own, so that each of
// several tokens that live side by side is told from the spent ones.

import { createHash } from 'node:crypto';
import { withoutMark } from './token-mark.ts';

export interface RefreshTokenPlace {
  /** The random first part of its jti. */
  readonly line: string;
  readonly number: number;
}

/** What is remembered of a token's family and line; nothing is for one that was never rotated nor revoked. */
interface RefreshTokenMemory {
  readonly familyRevoked: boolean;
  /** Tokens of the line with a smaller number are spent. */
  readonly current: number;
}

/**
 * `reused`: refused, and with rotation the family is to be revoked, its access tokens excepted. A token that rotation used
 * up stays refused when rotation is turned off.
 */
type RefreshTokenUse =
  | { readonly outcome: 'spent'; readonly successor?: number }
  | { readonly outcome: 'reused'; readonly revokesFamily: boolean }
  | { readonly outcome: 'revoked' };

export function useRefreshToken(memory: RefreshTokenMemory, number: number, rotate: boolean): RefreshTokenUse {
  if (memory.familyRevoked) return { outcome: 'revoked' };
  if (number < memory.current) return { outcome: 'reused', revokesFamily: rotate };
  return rotate ? { outcome: 'spent', successor: number + 1 } : { outcome: 'spent' };
}

export function isRefreshTokenOver(memory: RefreshTokenMemory, number: number): boolean {
  return memory.familyRevoked || number < memory.current;
}

/** The token that a use with rotation brings. */
export function successorOf({ line, number }: RefreshTokenPlace): RefreshTokenPlace {
  return { line, number: number + 1 };
}

/** Whether a use was one with rotation, by the jti that was presented and the one that it brought. */
export function isRotation(presented: string, brought: string): boolean {
  const [next, place] = [successorOf(placeOfRefreshToken(presented)), placeOfRefreshToken(brought)];
  return place.line === next.line && place.number === next.number;
}

/** A jti says where its token stands: `<line>.<number>`; the first of a line may leave its number out. */
export function placeOfRefreshToken(jti: string): RefreshTokenPlace {
  const place = withoutMark(jti);
  const written = /^(.+)\.(\d{1,15})$/.exec(place);
  return written?.[1] === undefined ? { line: place, number: 0 } : { line: written[1], number: Number(written[2]) };
}

export function jtiOfRefreshToken({ line, number }: RefreshTokenPlace): string {
  return number === 0 ? line : `${line}.${number}`;
}

const endOfGroup = ':';

/**
 * The name of a family that can be revoked with its session: it begins with what all of them share, so that one row
 * revokes however many there are (LGO-20). Tokens carry the name, and nobody reads the `sid` from it (SSO-14).
 */
export function familyOfSession(family: string, sid: string): string {
  return `${familiesOfSession(sid)}${endOfGroup}${family}`;
}

/** What is revoked in place of each of them. */
export function familiesOfSession(sid: string): string {
  return createHash('sha256').update(`families of ${sid}`).digest('base64url').slice(0, 22);
}

/** What is revoked in place of every token of a client that deleted its registration (RFC 7592 §2.3); no family is called so. */
export function familiesOfClient(clientId: string): string {
  return `client ${clientId}`;
}

/** A family counts as revoked by any of these names. */
export function revokedAs(family: string): readonly string[] {
  const end = family.indexOf(endOfGroup);
  return end < 0 ? [family] : [family, family.slice(0, end)];
}

/** Revocations and spent tokens are remembered for 31 days at least, and as long as a token of theirs can live (TIM-22). */
export const revocationMemorySeconds = 31 * 24 * 3600;
