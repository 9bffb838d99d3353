// A family of refresh tokens: every token of one grant. With rotation each use spends the token and issues its
// successor. Presenting a spent token revokes the family (REF-14 to REF-18, RFC 9700 §4.14.2).
//
// A token is the n-th of its line. A use with rotation continues the line, and the store keeps one number per line,
// however often it was rotated. A use without rotation leaves the token valid and begins a new line. So each of several
// concurrent valid tokens can be distinguished from spent ones.

import { createHash } from 'node:crypto';
import { withoutMark } from './token-mark.ts';

export interface RefreshTokenPlace {
  /** The random first part of its jti. */
  readonly line: string;
  readonly number: number;
}

/** What is stored of a token's family and line. Nothing is stored for a token that was never rotated nor revoked. */
interface RefreshTokenMemory {
  readonly familyRevoked: boolean;
  /** Tokens of the line with a smaller number are used. */
  readonly current: number;
}

/**
 * `reused`: rejected. With rotation the family is revoked, except its access tokens. A token that a rotation replaced
 * stays rejected when rotation is turned off.
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

/** The token that a use with rotation issues. */
export function successorOf({ line, number }: RefreshTokenPlace): RefreshTokenPlace {
  return { line, number: number + 1 };
}

/** Whether a use was one with rotation, from the presented jti and the issued one. */
export function isRotation(presented: string, brought: string): boolean {
  const [next, place] = [successorOf(placeOfRefreshToken(presented)), placeOfRefreshToken(brought)];
  return place.line === next.line && place.number === next.number;
}

/** The jti contains the token's place: `<line>.<number>`. The first of a line may omit its number. */
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
 * The name of a family that can be revoked with its session. All families of a session share a prefix, so that one row
 * revokes them all (LGO-20). Tokens carry the name, but it does not reveal the `sid` (SSO-14).
 */
export function familyOfSession(family: string, sid: string): string {
  return `${familiesOfSession(sid)}${endOfGroup}${family}`;
}

/** The name that is revoked in place of every family of a session. */
export function familiesOfSession(sid: string): string {
  return createHash('sha256').update(`families of ${sid}`).digest('base64url').slice(0, 22);
}

/**
 * The name that is revoked in place of every token of a client that deleted its registration (RFC 7592 §2.3). No family
 * has it.
 */
export function familiesOfClient(clientId: string): string {
  return `client ${clientId}`;
}

/** A family counts as revoked if any of these names is. */
export function revokedAs(family: string): readonly string[] {
  const end = family.indexOf(endOfGroup);
  return end < 0 ? [family] : [family, family.slice(0, end)];
}

/**
 * Revocations and spent tokens are stored for at least 31 days, and as long as one of their tokens can be valid
 * (TIM-22).
 */
export const revocationMemorySeconds = 31 * 24 * 3600;
