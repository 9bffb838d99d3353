// The key that has to redeem the code (RFC 9449 §10).
import type { Parameters } from '#shared/base/parameters.ts';
import { dpopRefusals } from '#shared/model/refusals/families/dpop.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

/** The thumbprint of the key. undefined: the code is not bound to a key. */
export function checkDpopKey(query: Parameters): string | undefined {
  const [thumbprint, ...more] = query.values('dpop_jkt');
  if (thumbprint === undefined) return undefined;
  if (more.length > 0 || !/^[A-Za-z0-9_-]{43}$/.test(thumbprint)) throw oauthError(dpopRefusals.dpop_jkt_malformed);
  return thumbprint;
}
