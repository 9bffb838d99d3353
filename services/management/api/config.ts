// GET /api/config: the declared configuration with what the request and the profile make of it (RST-10 to RST-14). Which
// settings it shows is said in their model; a secret never is one of them (RST-04).
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import { settingsSummary } from '#shared/configuration/model/projections/api-summary.ts';
import { settingsFields } from '#shared/configuration/model/settings-fields.ts';
import { json, type Reply } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';

export const configApiRoutes: readonly Route[] = [
  { path: '/api/config', surface: 'api', methods: { GET: showConfig } },
];

async function showConfig(_request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { snapshot, issuer, cors, configuration } = context;
  const { settings, rules } = snapshot;
  const declared = settingsSummary(settingsFields, settings);
  return json(200, {
    ...declared,
    runtime: runtimeMember(snapshot),
    // Read in either place, and always shown here.
    server: { ...Object(declared.server), rate_limit_enabled: settings.rate_limit_enabled, tls: tlsMember(context) },
    oauth: { ...Object(declared.oauth), clients_count: snapshot.clients.size },
    saml: { ...Object(declared.saml), ...effectiveSamlAddresses(settings.saml, issuer) },
    profile_override: snapshot.profileOverride ?? null,
    effective: {
      require_pkce: rules.requirePkce,
      password_hashing: rules.passwordHashing,
      rate_limit_enabled: rules.rateLimitEnabled,
      debug: rules.debug,
    },
    hooks: configuration.hooksReport(),
    cors_applied_origins: cors.applied,
    users_count: snapshot.users.size,
  });
}

/** What the door speaks; of the certificate only what every client sees (TLS-16). */
function tlsMember({ tls }: RequestContext) {
  if (tls === undefined) return { mode: 'off' };
  const { names, expiresAt } = tls.certificate;
  return { mode: tls.mode, names, expires_at: new Date(expiresAt).toISOString() };
}

function runtimeMember({ settings, paths }: ConfigurationSnapshot) {
  const { store } = settings.runtime;
  return paths.runtimeStore === undefined ? { store } : { store, path: paths.runtimeStore };
}
