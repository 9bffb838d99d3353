// Section LGO: the end of sessions, and who is told.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'LGO-01',
    says: 'logout.confirmation, delivery_timeout_ms, delivery_retries, verify_tls, revoke_refresh_tokens.',
  },
  {
    id: 'LGO-02',
    says: 'A client entry may have addresses of both channels, absolute and without fragment.',
  },
  {
    id: 'LGO-03',
    says: 'Runtime clients take them, and registration under full metadata, by the origin of a redirect URI.',
  },
  { id: 'LGO-04', says: 'A hint that is none answers a 400 page and ends nothing.' },
  { id: 'LGO-05', says: 'Without a hint of this browser a page asks, and nothing changes before yes.' },
  { id: 'LGO-06', says: 'A hint of this browser ends at once; always asks, never does not.' },
  { id: 'LGO-07', says: 'No ends nothing and leads nowhere.' },
  {
    id: 'LGO-08',
    says: 'A hint ends its session alone, a logout_hint the one it names, else all of the browser.',
  },
  { id: 'LGO-09', says: 'An address is followed with a valid hint, or a client named and a yes.' },
  {
    id: 'LGO-10',
    says: 'The confirmation holds in its browser, once, for 10 minutes, and not across sites.',
  },
  {
    id: 'LGO-11',
    says: 'Whatever ends a session but its time tells each participant by one form POST.',
  },
  { id: 'LGO-12', says: 'The logout token has exactly its claims and its typ.' },
  { id: 'LGO-13', says: 'A logout token is refused wherever another one is wanted.' },
  {
    id: 'LGO-14',
    says: '200 and 204 are told, 400 refused, everything else tried again with the same jti.',
  },
  {
    id: 'LGO-15',
    says: 'Participants are told at once, and the browser waits no longer than the timeout.',
  },
  { id: 'LGO-16', says: 'Each delivery is told once, and a retry survives its worker.' },
  { id: 'LGO-17', says: 'The front channel is a page with a frame each and a CSP of their origins.' },
  { id: 'LGO-18', says: 'That page goes on when all frames loaded, or after 5 s, or by a link.' },
  { id: 'LGO-19', says: 'A client with both addresses gets both.' },
  {
    id: 'LGO-20',
    says: 'logout.revoke_refresh_tokens revokes the families of the session without offline_access.',
  },
  // Event and `notified` are. The recorder keeps what comes in; an attempt goes out, so no flow shows it yet.
  { id: 'LGO-21', says: 'A delivery is an audit event, a member of notified, and each attempt a step of the flow.' },
  { id: 'LGO-22', says: 'No event, flow or log line holds the token.' },
  { id: 'LGO-23', says: 'Discovery says both channels while on, and never check_session_iframe.' },
  { id: 'LGO-24', says: 'Service providers are told before the browser is sent on.' },
  { id: 'LGO-25', says: 'Afterwards prompt=none is login_required.' },
  { id: 'LGO-26', says: '/ui/logout keeps its redirect and shows no frames.' },
];
