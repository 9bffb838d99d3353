// The lifetimes of a response's tokens, in seconds. The first present value decides: the client's, then the settings'
// in seconds, then in minutes (CLS-06). An ID token without its own value has the lifetime of the access token.
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';

export interface TokenLifetimes {
  readonly access: number;
  readonly id: number;
  readonly refresh: number;
}

type LifetimesOfClient = Pick<
  Client,
  'token_expiry_seconds' | 'id_token_expiry_seconds' | 'refresh_token_expiry_seconds'
>;

/** `client` undefined: a token made without a client. */
export function tokenLifetimes(
  { oauth }: Pick<Settings, 'oauth'>,
  client: LifetimesOfClient | undefined,
): TokenLifetimes {
  const access = client?.token_expiry_seconds ?? oauth.token_expiry_seconds ?? oauth.token_expiry_minutes * 60;
  return {
    access,
    id: client?.id_token_expiry_seconds ?? oauth.id_token_expiry_seconds ?? access,
    refresh:
      client?.refresh_token_expiry_seconds ??
      oauth.refresh_token_expiry_seconds ??
      oauth.refresh_token_expiry_minutes * 60,
  };
}
