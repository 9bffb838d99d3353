// The registration as its owner receives it, after POST and on GET (RFC 7591 §3.2.1, RFC 7592 §3; DCR-15, DCR-16,
// DCR-22). No other surface shows the access token, and only its hash is stored (DCR-23).
import { createHash } from 'node:crypto';
import { epochSeconds } from '#shared/base/clock.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { hasSecret } from '#shared/model/configuration/client-authentication.ts';
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { Registration } from '#shared/model/domain/runtime-identity.ts';
import { namesOfEntryMembers } from './full-metadata.ts';

export function registrationBody(
  entry: ClientEntry,
  registration: Registration,
  accessToken: string,
  { backchannelUrl }: Pick<ProtocolContext, 'backchannelUrl'>,
): Record<string, unknown> {
  return {
    client_id: entry.client_id,
    client_id_issued_at: epochSeconds(registration.issuedAt),
    ...(hasSecret(entry) ? { client_secret: entry.client_secret, client_secret_expires_at: 0 } : {}),
    redirect_uris: entry.redirect_uris,
    ...(entry.post_logout_redirect_uris.length > 0
      ? { post_logout_redirect_uris: entry.post_logout_redirect_uris }
      : {}),
    token_endpoint_auth_method: entry.token_endpoint_auth_method,
    grant_types: registration.grant_types,
    scope: entry.scope ?? '',
    ...(registration.client_name === undefined ? {} : { client_name: registration.client_name }),
    ...(registration.further === undefined ? {} : { ...fullMembers(entry), ...registration.further }),
    registration_access_token: accessToken,
    registration_client_uri: `${backchannelUrl}/register/${entry.client_id}`,
  };
}

/** The non-empty further members of an entry registered under `metadata: full` (SSO-49). */
function fullMembers(entry: ClientEntry): Record<string, unknown> {
  const members = namesOfEntryMembers.map((name) => [name, entry[name]] as const);
  return Object.fromEntries(
    members.filter(
      ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

/** Lower-case hexadecimal SHA-256, the only form in which the store holds the token. */
export function hashOfAccessToken(accessToken: string): string {
  return createHash('sha256').update(accessToken, 'utf8').digest('hex');
}
