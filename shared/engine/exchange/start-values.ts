// What a worker takes from the configuration of its start alone (ACT-17, CFG-14). The first worker of a stack takes it from
// the machine's own files (CLU-19) and reports it; whoever starts later is told the same, whatever was activated since.

import * as z from 'zod';
import type { LoadedConfiguration } from '#shared/state/configuration/load/load-configuration.ts';

/** What takes effect at the start of a stack alone (ACT-17). It goes through the mailbox and nowhere else: one of them is secret. */
export const startValues = z.object({
  /** `oauth.issuer_from_proxy_headers`. */
  trustForwarded: z.boolean(),
  /** The declared origins; left out: the profile decides. */
  corsOrigins: z.array(z.string()).readonly().optional(),
  defaultCorsOrigins: z.enum(['any', 'loopback']),
  /** Left out: rate limiting is off. */
  rate: z.string().optional(),
  /** `session.secret_key`; left out: the secret that the store keeps. */
  cookieSecret: z.string().optional(),
});

export type StartValues = z.output<typeof startValues>;

export function startValuesOf({ settings, rules }: Pick<LoadedConfiguration, 'settings' | 'rules'>): StartValues {
  return {
    trustForwarded: settings.oauth.issuer_from_proxy_headers,
    corsOrigins: settings.cors_allowed_originss,
    defaultCorsOrigins: rules.defaultCorsOrigins,
    rate: rules.rateLimitEnabled ? settings.server.rate_limit_token_endpoint : undefined,
    cookieSecret: settings.session.secret_key,
  };
}
