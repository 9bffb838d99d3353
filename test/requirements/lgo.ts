// Section LGO: the end of sessions, and the notification of participants.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'LGO-01',
    says: 'logout.confirmation, delivery_timeout_ms, delivery_retries, verify_tls, revoke_refresh_tokens.',
  },
  {
    id: 'LGO-02',
    says: 'A client entry may have absolute addresses without fragment for both channels.',
  },
  {
    id: 'LGO-03',
    says: 'Runtime clients accept them, and so does registration with full metadata if they have the origin of a redirect URI.',
  },
  { id: 'LGO-04', says: 'An invalid hint returns a page with status 400 and ends nothing.' },
  {
    id: 'LGO-05',
    says: 'Without a hint of this browser, a page asks for confirmation, and nothing changes before that.',
  },
  {
    id: 'LGO-06',
    says: 'A hint of this browser ends the session at once. With always a page asks first, with never it does not.',
  },
  { id: 'LGO-07', says: 'Declining ends nothing and does not redirect.' },
  {
    id: 'LGO-08',
    says: 'A hint ends only its session, a logout_hint the session that it names, and otherwise all sessions of the browser end.',
  },
  { id: 'LGO-09', says: 'An address is followed with a valid hint, or with a named client and a confirmation.' },
  {
    id: 'LGO-10',
    says: 'The confirmation is valid in its browser, once, for 10 minutes, and not across sites.',
  },
  {
    id: 'LGO-11',
    says: 'Every end of a session except its expiry notifies each participant with one form POST.',
  },
  { id: 'LGO-12', says: 'The logout token has exactly its claims and its typ.' },
  { id: 'LGO-13', says: 'A logout token is rejected where another kind of token is expected.' },
  {
    id: 'LGO-14',
    says: '200 and 204 mean delivered, 400 means rejected, and everything else is retried with the same jti.',
  },
  {
    id: 'LGO-15',
    says: 'Participants are notified at once, and the browser waits at most for the timeout.',
  },
  { id: 'LGO-16', says: 'Each logout is delivered once, and a retry survives the death of its worker.' },
  { id: 'LGO-17', says: 'The front channel is a page with a frame for each client and a CSP with their origins.' },
  { id: 'LGO-18', says: 'That page continues when all frames have loaded, after 5 s, or with a link.' },
  { id: 'LGO-19', says: 'A client with both addresses gets both.' },
  {
    id: 'LGO-20',
    says: 'logout.revoke_refresh_tokens revokes the families of the session without offline_access.',
  },
  // The event and `notified` exist. The recorder stores incoming requests, but an attempt is an outgoing one, so no
  // flow shows it yet.
  {
    id: 'LGO-21',
    says: 'A delivery is an audit event and a member of notified, and each attempt is a step of the flow.',
  },
  { id: 'LGO-22', says: 'No event, flow or log line contains the token.' },
  { id: 'LGO-23', says: 'Discovery announces both channels while they are on, and never check_session_iframe.' },
  { id: 'LGO-24', says: 'Service providers are notified before the browser is redirected.' },
  { id: 'LGO-25', says: 'After that, prompt=none returns login_required.' },
  { id: 'LGO-26', says: '/ui/logout keeps its redirect and shows no frames.' },
];
