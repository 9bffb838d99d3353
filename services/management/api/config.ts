// GET /api/config: the declared configuration with what the request and the profile make of it (RST-10 to RST-14). A
// whitelist: what is not named here is not shown, secrets first of all (RST-04).
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import { json, type Reply } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';

export const configApiRoutes: readonly Route[] = [
  { path: '/api/config', surface: 'api', methods: { GET: showConfig } },
];

async function showConfig(_request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { snapshot, issuer, cors, configuration } = context;
  const { settings } = snapshot;
  return json(200, {
    config_version: settings.config_version,
    config_validation: settings.config_validation,
    runtime: runtimeMember(snapshot),
    server: {
      host: settings.server.host,
      port: settings.server.port,
      rate_limit_enabled: settings.rate_limit_enabled,
      rate_limit_token_endpoint: settings.server.rate_limit_token_endpoint,
    },
    oauth: oauthMember(snapshot),
    saml: samlMember(snapshot, issuer),
    logging: settings.logging,
    login: {
      mode: settings.login.mode,
      auto_login: settings.login.auto_login,
      two_step: settings.login.two_step,
      totp: settings.login.totp,
    },
    device_flow: settings.device_flow,
    authority_prefixes: settings.authority_prefixes,
    allowed_identity_classes: settings.allowed_identity_classes,
    security_profile: settings.security_profile,
    profile_override: snapshot.profileOverride ?? null,
    effective: {
      require_pkce: snapshot.rules.requirePkce,
      password_hashing: snapshot.rules.passwordHashing,
      rate_limit_enabled: snapshot.rules.rateLimitEnabled,
      debug: snapshot.rules.debug,
    },
    hooks: configuration.hooksReport(),
    cors_allowed_originss: settings.cors_allowed_originss ?? null,
    cors_applied_origins: cors.applied,
    users_count: snapshot.users.size,
  });
}

function runtimeMember({ settings, paths }: ConfigurationSnapshot) {
  return settings.runtime.store === 'memory' ? { store: 'memory' } : { store: 'sqlite', path: paths.runtimeStore };
}

function oauthMember({ settings: { oauth }, clients }: ConfigurationSnapshot) {
  return {
    issuer: oauth.issuer,
    issuer_from_request: oauth.issuer_from_request,
    issuer_from_proxy_headers: oauth.issuer_from_proxy_headers,
    issuer_allowlist: oauth.issuer_allowlist,
    device_verification_base_url: oauth.device_verification_base_url ?? null,
    audience: oauth.audience,
    token_expiry_minutes: oauth.token_expiry_minutes,
    refresh_token_expiry_minutes: oauth.refresh_token_expiry_minutes,
    clients_count: clients.size,
    scopes_supported: oauth.scopes_supported,
    scope_enforcement: oauth.scope_enforcement,
  };
}

function samlMember({ settings: { saml } }: ConfigurationSnapshot, issuer: string) {
  return {
    ...effectiveSamlAddresses(saml, issuer),
    default_acs_url: saml.default_acs_url,
    sign_responses: saml.sign_responses,
    c14n_algorithm: saml.c14n_algorithm,
    strict_binding: saml.strict_binding,
    export_roles: saml.export_roles,
    export_groups: saml.export_groups,
    roles_attr_name: saml.roles_attr_name,
    groups_attr_name: saml.groups_attr_name,
  };
}
