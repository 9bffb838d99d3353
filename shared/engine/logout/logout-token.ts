// The logout token (OpenID Connect Back-Channel Logout 1.0 §2.4). It is signed like an ID token and has its own `typ`.
import { epochSeconds, type Instant } from '#shared/base/clock.ts';
import type { Signer } from '#shared/engine/tokens/signer.ts';
import type { ClientDelivery } from '#shared/model/domain/logout-delivery.ts';

const lifetimeSeconds = 120;
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

export async function writeLogoutToken(
  { issuer, username, client_id, jti, sid }: ClientDelivery,
  { signer, now }: { readonly signer: Signer; readonly now: Instant },
): Promise<string> {
  const key = await signer.signingKey();
  const iat = epochSeconds(now);
  const claims = {
    ...{ iss: issuer, sub: username, aud: client_id, iat, exp: iat + lifetimeSeconds, jti, sid },
    events: { [logoutEvent]: {} },
  };
  const header = { alg: key.algorithm.name, typ: 'logout+jwt', kid: key.kid } as const;
  return signer.signToken({ use: 'id', header, claims }, key);
}
