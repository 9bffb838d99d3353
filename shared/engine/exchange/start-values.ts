// What a worker reads only from the configuration at its start (ACT-17, CFG-14). The first worker of a stack reads it
// from the machine's own files (CLU-19) and reports it. Workers that start later get the same values, whatever was
// activated since.

import * as z from 'zod';
import type { LoadedConfiguration } from '#shared/state/configuration/load/load-configuration.ts';

/**
 * The values that take effect only at the start of a stack (ACT-17). They are sent only through the mailbox, because
 * one of them is secret.
 */
export const startValues = z.object({
  /** `oauth.issuer_from_proxy_headers`. */
  trustForwarded: z.boolean(),
  /** The declared origins; left out: the profile decides. */
  corsOrigins: z.array(z.string()).readonly().optional(),
  defaultCorsOrigins: z.enum(['any', 'loopback']),
  allowCredentialsOfEveryOrigin: z.boolean(),
  /** Left out: rate limiting is off. */
  rate: z.string().optional(),
  /** `session.secret_key`; left out: the secret in the store. */
  cookieSecret: z.string().optional(),
});

export type StartValues = z.output<typeof startValues>;

export function startValuesOf({ settings, rules }: Pick<LoadedConfiguration, 'settings' | 'rules'>): StartValues {
  return {
    trustForwarded: settings.oauth.issuer_from_proxy_headers,
    corsOrigins: settings.cors_allowed_originss,
    defaultCorsOrigins: rules.defaultCorsOrigins,
    allowCredentialsOfEveryOrigin: rules.allowCredentialsOfEveryOrigin,
    rate: rules.rateLimitEnabled ? settings.server.rate_limit_token_endpoint : undefined,
    cookieSecret: settings.session.secret_key,
  };
}
