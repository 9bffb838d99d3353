// The keys of settings.yaml that the form does not offer, as facts with their values (WEB-10). Values that are or may
// hold secrets, commands or paths of plugins are only said to be set.
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';

export interface FileOnlySetting {
  readonly path: string;
  readonly value: string;
}

export function fileOnlySettings({ settings, managementSecret }: ConfigurationSnapshot): readonly FileOnlySetting[] {
  const { oauth, hooks, runtime, jwt } = settings;
  return [
    fact('security_profile', settings.security_profile),
    fact('config_validation', settings.config_validation),
    fact('cors_allowed_originss', settings.cors_allowed_originss ?? 'the security profile decides'),
    fact('rate_limit_enabled', settings.rate_limit_enabled),
    fact('server.rate_limit_token_endpoint', settings.server.rate_limit_token_endpoint),
    fact('require_ui_login', settings.require_ui_login),
    fact('management_secret', isSet(managementSecret)),
    fact('session.secret_key', isSet(settings.session.secret_key)),
    fact('oauth.scopes_supported', oauth.scopes_supported),
    fact('oauth.scope_enforcement', oauth.scope_enforcement),
    fact('oauth.logos_dir', oauth.logos_dir ?? 'not set'),
    fact('oauth.dynamic_registration.enabled', oauth.dynamic_registration.enabled),
    fact('oauth.dynamic_registration.max_clients', oauth.dynamic_registration.max_clients),
    fact('oauth.client_id_metadata_documents.enabled', oauth.client_id_metadata_documents.enabled),
    fact('oauth.client_id_metadata_documents.allowed_hosts', oauth.client_id_metadata_documents.allowed_hosts),
    fact('runtime.store', runtime.store),
    fact('jwt.max_previous_keys', jwt.max_previous_keys),
    fact('jwt.external_keys', isSet(jwt.external_keys)),
    fact('hooks.on_before_load', isSet(hooks.on_before_load)),
    fact('hooks.on_config_saved', isSet(hooks.on_config_saved)),
    fact('hooks.on_audit_event', isSet(hooks.on_audit_event)),
    fact('hooks.strict', hooks.strict),
    fact('plugins', Object.keys(settings.plugins)),
    fact('logging.level', settings.logging.level),
  ];
}

function fact(path: string, value: string | number | boolean | readonly string[]): FileOnlySetting {
  if (typeof value === 'object') return { path, value: value.length === 0 ? 'none' : value.join(', ') };
  return { path, value: String(value) };
}

function isSet(value: unknown): string {
  return value === undefined || value === null || value === '' ? 'not set' : 'set';
}
