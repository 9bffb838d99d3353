// What a client may demand of its own requests, each with the setting of `oauth` without which nobody looks whether they keep to it.
// A registration that demands what is off is refused, a file that does is warned of, and a metadata document says it like an entry.
import type { ClientEntry } from './client-entry.ts';
import type { Settings } from './settings.ts';

interface ClientDemand {
  readonly member: keyof ClientEntry;
  readonly isOff: (oauth: Settings['oauth']) => boolean;
  /** As it is written. */
  readonly setting: string;
  /** Why it cannot be had while that is off. */
  readonly lacking: string;
}

export const clientDemands = [
  {
    member: 'dpop_bound_access_tokens',
    isOff: ({ dpop }) => dpop === 'off',
    setting: 'oauth.dpop: on or nonce',
    lacking: 'this server issues no tokens bound to keys (oauth.dpop)',
  },
  {
    member: 'require_pushed_authorization_requests',
    isOff: ({ pushed_authorization_requests }) => pushed_authorization_requests === 'off',
    setting: 'oauth.pushed_authorization_requests: on or required',
    lacking: 'nothing can be pushed to this server (oauth.pushed_authorization_requests)',
  },
] as const satisfies readonly ClientDemand[];
