// The defaults for a missing file (CFG-04, CFG-05), written as the file would be. A first save starts from them, so
// that adding a client does not remove the demo client.
import type { ConfigurationTexts } from './read-files.ts';

export const demoClient = { client_id: 'demo-client', client_secret: 'demo-secret' } as const;

export const builtInSettingsText = `oauth:
  clients:
    - client_id: ${demoClient.client_id}
      client_secret: ${demoClient.client_secret}
`;

/** Missing files get the text of their defaults. */
export function withDefaultTexts({ settings = builtInSettingsText, users = builtInUsersText }: ConfigurationTexts) {
  return { settings, users };
}

/**
 * The configuration without any configuration directory: the same defaults on any port (PKG-13, PKG-15), with what
 * clients expect by their own defaults (CAM-11).
 */
export const embeddedSettingsText = `${builtInSettingsText}      token_endpoint_auth_method: client_secret_any
  issuer_from_request: true
  id_token_claims: scope
  response_modes: [query, form_post, fragment]
  unknown_scopes: grant
  client_id_metadata_documents: { show_reasons: true }
`;

export const builtInUsersText = `users:
  admin:
    password: admin
    identity_class: INTERNAL
    roles: [USER, ADMIN]
    tenant: default
`;

export const embeddedUsersText = `${builtInUsersText}    claims: { name: Ada Admin, given_name: Ada, family_name: Admin }
`;
