// What a worker takes from the configuration of its start alone (ACT-17, CFG-14). The first worker of a stack takes it from
// the machine's own files (CLU-19) and reports it; whoever starts later is told the same, whatever was activated since.
import type { LoadedConfiguration } from '#shared/configuration/load/load-configuration.ts';
import type { StartValues } from './mailbox.ts';

export function startValuesOf({ settings, rules }: Pick<LoadedConfiguration, 'settings' | 'rules'>): StartValues {
  return {
    trustForwarded: settings.oauth.issuer_from_proxy_headers,
    corsOrigins: settings.cors_allowed_originss,
    defaultCorsOrigins: rules.defaultCorsOrigins,
    rate: rules.rateLimitEnabled ? settings.server.rate_limit_token_endpoint : undefined,
    cookieSecret: settings.session.secret_key,
  };
}
