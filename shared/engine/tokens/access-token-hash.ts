// `at_hash`, which binds an ID token to the access token issued with it (OIDC Core §3.1.3.6).
import { createHash } from 'node:crypto';

export function accessTokenHash(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
}
