// Distinguishes a sandbox's tokens from those of every other namespace, even with the same key and issuer. Their jti
// ends with the sandbox's instance id (SBX-14, SBX-28). Tokens of the default identity provider have no mark, except
// after a reset of a test's instance. That instance keeps its keys, but tokens from before the reset are no longer
// valid (API-26).

/** Empty: the default identity provider. */
export type TokenMark = '' | `~${string}`;

const mark = /~[A-Za-z0-9_-]{12}$/;

/** The header member that has the mark of a token whose jti is no text. */
export const markInHeader = 'namespace';

/** The number of random bytes of an instance id, which is written in base64url. */
export const instanceIdBytes = 9;

export function tokenMarkOf(instanceId: string): TokenMark {
  return `~${instanceId}`;
}

export function isTokenMark(value: unknown): value is TokenMark {
  return typeof value === 'string' && (value === '' || new RegExp(`^${mark.source}`).test(value));
}

/** `jti` of a token, or the header's member if that is no text. */
export function hasMark(jti: unknown, inHeader: unknown, expected: TokenMark): boolean {
  const written = typeof jti === 'string' ? jti : inHeader;
  if (expected === '') return typeof written !== 'string' || !mark.test(written);
  return typeof written === 'string' && written.endsWith(expected);
}

export function withoutMark(jti: string): string {
  return jti.replace(mark, '');
}
