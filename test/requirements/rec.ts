// Section REC: recorder, flows, expectations.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'REC-01',
    says: 'Every request to discovery, jwks, authorize, login, token, userinfo, introspect, revoke, device_authorization, device, register, logout, saml_metadata, saml_sso and saml_attribute_query is kept as one exchange, refused ones and those that match no method included; preflights, the REST API, web UI, health and static files are not.',
  },
  {
    id: 'REC-02',
    says: 'An exchange has id, flow, endpoint, at (real time), clock, duration_ms, method, path, parameters, request_headers, status, answer, response_headers, client_id, username, decision (accepted, refused, asked), reason, fault, repeated; client_id is the client that the request or its token names, authenticated or not.',
  },
  {
    id: 'REC-03',
    says: "A refused exchange's reason is that of its audit event and its answer has error and error_description as sent.",
  },
  {
    id: 'REC-04',
    says: 'Passwords, client secrets, TOTP codes, authorization codes, device codes, verifiers, tokens, cookies, Authorization credentials, SAMLResponse and the registration access token stand as fp: and 12 hexadecimal digits, equal for equal values of one namespace and keyed, so that no value can be looked up; state, nonce, challenges and addresses stand as sent.',
  },
  {
    id: 'REC-05',
    says: 'Beside the fingerprint of a JWT stand its header and claims without the signature, and beside that of a SAML message its ID, Issuer, Destination, InResponseTo, Audience, NameID, status and which elements are signed.',
  },
  {
    id: 'REC-06',
    says: 'With recorder.secrets: keep (file only) values are kept whole; reads show them as before, and POST /api/exchanges/<id>/reveal (gated, never with a CORS header, 409 with kind not_kept without that key) answers the exchange with them.',
  },
  {
    id: 'REC-07',
    says: 'recorder.enabled (default true) switches it for the default namespace and for each sandbox, and PUT /api/recorder {enabled} (gated) until the stack or sandbox ends, GET /api/recorder answering enabled, kept, bound, dropped, lost.',
  },
  {
    id: 'REC-08',
    // The contract says 0.97 and 0.95. structure.md, section 4, changes these limits.
    says: 'In one run of npm run bench the rate with the recorder on is at least 0.90 of that with it off for client_credentials and at least 0.80 for discovery and JWKS.',
  },
  {
    id: 'REC-09',
    says: 'An exchange whose request leaves an audit event is readable through every process as soon as its answer has arrived, any other one within 1 s.',
  },
  {
    id: 'REC-10',
    says: 'Equal GETs of discovery, jwks or saml_metadata from one address and user agent within one second are one exchange with repeated as their number.',
  },
  {
    id: 'REC-11',
    says: '10000 exchanges are kept in the default namespace and 2000 in a sandbox, oldest going first and counted in dropped; a stored value longer than 4 KiB ends in … with its length.',
  },
  {
    id: 'REC-12',
    says: 'A recorder that cannot write fails and delays no request: what it loses counts in lost.',
  },
  {
    id: 'REC-13',
    says: 'GET /api/exchanges answers {exchanges, count, cursor} in the order recorded, filtered by endpoint, client_id, username, status, flow and after (a cursor), limit (default 100, 1 to 1000) of the newest, and GET /api/exchanges/<id> one.',
  },
  {
    id: 'REC-14',
    says: 'DELETE /api/flows (gated) empties the recorder of its namespace and answers {deleted: <number>}, ids and cursors never being used again.',
  },
  {
    id: 'REC-15',
    says: 'Exchanges share the life of the store; SAML frontend, OIDC frontends and every stack on the store write one recorder.',
  },
  {
    id: 'REC-16',
    says: 'Exchanges belong to one flow when they share an authorization transaction, code, refresh family, access token (by jti, at /userinfo, /introspect and /revoke), device grant, SAML request ID with its browser, registration, or logout hint; a discovery, JWKS or metadata request joins the newest flow of its address begun in the last 10 s, else stands alone.',
  },
  {
    id: 'REC-17',
    says: 'GET /api/flows answers {flows, count}, newest first, each with id, kind (code, device, password, client_credentials, refresh, saml, other), client_id, username, sp, started_at, ended_at, outcome (completed, refused, open), exchanges (number) and faults, filtered by client_id, sp, username, kind, outcome, limit (default 50, 1 to 1000).',
  },
  {
    id: 'REC-18',
    says: "GET /api/flows/<id> adds the exchanges in order and explanation, one sentence that for a refused flow names the endpoint, the reason and the standard's paragraph or key that decided.",
  },
  {
    id: 'REC-19',
    says: 'GET /api/flows/<id>.har answers application/json that is a HAR 1.2 log of its exchanges.',
  },
  {
    id: 'REC-20',
    says: 'GET /api/flows/<id>.mermaid answers text/plain that is a Mermaid sequenceDiagram of browser, client and server, in which no text of a request can end a line or begin a statement.',
  },
  {
    id: 'REC-21',
    says: '/flows lists flows and /flows/<id> shows one as an inline SVG sequence diagram with title and description, a table of the same steps, and the findings, all made by the server and complete without JavaScript.',
  },
  {
    id: 'REC-22',
    says: 'With JavaScript the two pages show new exchanges within 2 s without a reload by hand.',
  },
  {
    id: 'REC-23',
    says: 'Text of requests appears in SVG, table and downloads as text, never as markup.',
  },
  {
    id: 'REC-24',
    says: 'POST /api/expect with endpoint, one of count (exactly) and at_least, and optionally client_id, username, status, grant_type, after (a cursor) and within_seconds (0 to 60, default 5) answers 200 {held:true, count, exchanges, cursor} or 409 {held:false, kind:"not_held", count, expected, exchanges, cursor}.',
  },
  {
    id: 'REC-25',
    says: 'at_least answers as soon as so many matched, and 409 when the time is over.',
  },
  {
    id: 'REC-26',
    says: 'count answers 409 as soon as more matched, else when the time is over, since one more may come until then.',
  },
  {
    id: 'REC-27',
    says: 'Without after every kept exchange of the namespace counts, with it those recorded later.',
  },
  {
    id: 'REC-28',
    says: 'Its time is real time, exchanges of every process count, 100 may wait in a stack and a further one answers 429 with kind expect_limit and Retry-After: 1, and SIGTERM answers the waiting ones 503 at once.',
  },
  {
    id: 'REC-29',
    says: 'While the recorder is off /api/expect and /api/verdict answer 409 with kind recorder_off.',
  },
  {
    id: 'REC-30',
    says: 'list_flows, get_flow and expect_exchange do the same with the optional sandbox, none of them mutating.',
  },
];
