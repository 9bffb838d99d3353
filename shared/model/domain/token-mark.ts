// Distinguishes a sandbox's tokens from those of every other namespace, even with the same key and issuer. Their jti
// ends with the sandbox's instance id (SBX-14, SBX-28). Tokens of the default identity provider have no mark, except
// after a reset of a test's instance. That instance keeps its keys, but tokens from before the reset are no longer
// valid (API-26).

/** Empty: the default identity provider. */
export type TokenMark = '' | `~${string}`;

const mark = /~[A-Za-z0-9_-]{12}$/;

/** The number of random bytes of an instance id, which is written in base64url. */
export const instanceIdBytes = 9;

export function tokenMarkOf(instanceId: string): TokenMark {
  return `~${instanceId}`;
}

export function isTokenMark(value: unknown): value is TokenMark {
  return typeof value === 'string' && (value === '' || new RegExp(`^${mark.source}`).test(value));
}

export function hasMark(jti: unknown, expected: TokenMark): boolean {
  if (expected === '') return typeof jti !== 'string' || !mark.test(jti);
  return typeof jti === 'string' && jti.endsWith(expected);
}

export function withoutMark(jti: string): string {
  return jti.replace(mark, '');
}
