// PKCE (RFC 7636 §4.6): whether a verifier matches a challenge. Authorization request validation decides which
// challenges are required or allowed (AUT-19 to AUT-21).
import { createHash, timingSafeEqual } from 'node:crypto';
import type { CodeChallengeMethod } from '#shared/model/domain/authorization-request.ts';

/** A verifier is ASCII by definition. Any other text never matches, even if its hash does (GRT-04). */
const ascii = /^[\x21-\x7e]+$/;

const verifierGrammar = /^[A-Za-z0-9\-._~]{43,128}$/;
const s256ChallengeGrammar = /^[A-Za-z0-9_-]{43}$/;

/** 43 to 128 unreserved characters (RFC 7636 §4.1). */
export function isCodeVerifier(text: string): boolean {
  return verifierGrammar.test(text);
}

/** For S256 the base64url text of 32 bytes, for plain a verifier (RFC 7636 §4.2). */
export function isCodeChallenge(text: string, method: CodeChallengeMethod): boolean {
  return method === 'S256' ? s256ChallengeGrammar.test(text) : isCodeVerifier(text);
}

export function verifierMatches(verifier: string, challenge: string, method: CodeChallengeMethod): boolean {
  if (!ascii.test(verifier)) return false;
  const derived = method === 'S256' ? s256Challenge(verifier) : verifier;
  const given = Buffer.from(derived);
  const expected = Buffer.from(challenge);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** BASE64URL(SHA256(ASCII(code_verifier))) */
export function s256Challenge(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url');
}
