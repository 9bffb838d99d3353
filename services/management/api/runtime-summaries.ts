// Runtime objects as the API shows them. The members are listed one by one, so that no password, client secret or TOTP
// secret can slip into an answer (RUN-12).

import { clientFromEntry } from '#shared/configuration/model/client-entry.ts';
import { userFromEntry } from '#shared/configuration/model/user-entry.ts';
import type { RuntimeClient, RuntimeUser } from '#shared/domain/runtime-identity.ts';
import { userSummary } from './users.ts';

/** The members of an item of GET /api/users, and the object's own id (RUN-01). */
export function runtimeUserSummary({ name, entry, instance_id }: RuntimeUser) {
  return { ...userSummary({ user: userFromEntry(name, entry), origin: 'runtime' }), instance_id };
}

/** `scope` and `allowed_scopes` are the one restriction in both spellings (RUN-02, D8). */
export function runtimeClientSummary({ entry, instance_id, registration }: RuntimeClient) {
  const client = clientFromEntry(entry);
  return {
    client_id: client.client_id,
    origin: 'runtime',
    ...(registration === undefined ? {} : { source: 'dcr' }),
    instance_id,
    description: client.description,
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    redirect_uris: client.redirect_uris,
    scope: client.scopes.join(' '),
    allowed_scopes: client.scopes,
    allowed_resources: client.allowed_resources,
    additional_audiences: client.additional_audiences,
    post_logout_redirect_uris: client.post_logout_redirect_uris,
  };
}
