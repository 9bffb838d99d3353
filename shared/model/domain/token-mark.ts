// What tells the tokens of a sandbox from those of every other namespace, even where they are signed with one key and
// under one name: their jti ends with the sandbox's instance id (SBX-14, SBX-28). Tokens of the default identity provider
// have no mark, unless an instance of a test was reset: it keeps its keys, and what they signed before counts no more (API-26).

/** Empty: of the default identity provider. */
export type TokenMark = '' | `~${string}`;

const mark = /~[A-Za-z0-9_-]{12}$/;

/** So many random bytes, written in base64url, are an instance id. */
export const instanceIdBytes = 9;

export function tokenMarkOf(instanceId: string): TokenMark {
  return `~${instanceId}`;
}

export function isTokenMark(told: unknown): told is TokenMark {
  return typeof told === 'string' && (told === '' || new RegExp(`^${mark.source}`).test(told));
}

export function bearsMark(jti: unknown, expected: TokenMark): boolean {
  if (expected === '') return typeof jti !== 'string' || !mark.test(jti);
  return typeof jti === 'string' && jti.endsWith(expected);
}

export function withoutMark(jti: string): string {
  return jti.replace(mark, '');
}
