// What a client may require of its own requests, each with the setting of `oauth` that makes the server check it. While
// that setting is off, a registration that requires it is rejected, a file gets a warning, and a metadata document is
// treated like an entry.
import type { ClientEntry } from './client-entry.ts';
import type { Settings } from './settings.ts';

interface ClientDemand {
  readonly member: keyof ClientEntry;
  readonly isOff: (oauth: Settings['oauth']) => boolean;
  /** The setting as written in the file. */
  readonly setting: string;
  /** Why the requirement cannot be met while the setting is off. */
  readonly lacking: string;
}

export const clientDemands = [
  {
    member: 'dpop_bound_access_tokens',
    isOff: ({ dpop }) => dpop === 'off',
    setting: 'oauth.dpop: on or nonce',
    lacking: 'this server does not bind tokens to keys (oauth.dpop is off)',
  },
  {
    member: 'require_pushed_authorization_requests',
    isOff: ({ pushed_authorization_requests }) => pushed_authorization_requests === 'off',
    setting: 'oauth.pushed_authorization_requests: on or required',
    lacking: 'this server does not accept pushed requests (oauth.pushed_authorization_requests is off)',
  },
] as const satisfies readonly ClientDemand[];
