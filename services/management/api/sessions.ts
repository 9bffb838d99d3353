// /api/sessions and /api/consents: lists and ends logins and consents (SSO-41 to SSO-43). They also work while sessions
// are off: they show what a reload that turns sessions on would make effective again.
import * as z from 'zod';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import { type ParsedRequest, type ProtocolContext, requestFacts } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import { type AuditOrigin, deleteConsents, endSessionsFromOutside } from '#shared/engine/login/end-sessions.ts';
import { shownConsent, shownSession } from '#shared/engine/login/show-sessions.ts';
import { authenticationMethods } from '#shared/model/configuration/settings/login.ts';
import { sessionLimits } from '#shared/model/domain/session.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';

const time = z.iso.datetime();
const count = z.int().nonnegative();
const filters = {
  username: z.string().describe('Only those of this user.'),
  client_id: z.string().describe('Only those with this client.'),
};
const sessionModel = z
  .strictObject({
    sid: z.string(),
    username: z.string(),
    browser: z.string().describe('Identical for all sessions of a browser.'),
    method: z.enum(authenticationMethods),
    acr: z.string().nullable(),
    authenticated_at: time,
    last_used_at: time,
    expires_at: time,
    clients: z.array(z.string()),
    service_providers: z.array(z.string()),
  })
  .meta({ id: 'Session' });
const consentModel = z
  .strictObject({ username: z.string(), client_id: z.string(), scope: z.string(), given_at: time })
  .meta({ id: 'Consent' });
const notifiedClient = z.strictObject({
  client_id: z.string(),
  channel: z.enum(['backchannel', 'frontchannel']),
  delivered: z.boolean(),
  http_status: z.int().nullable(),
});
const notifiedServiceProvider = z.strictObject({
  entity_id: z.string(),
  channel: z.enum(['soap', 'frontchannel']),
  delivered: z.boolean(),
  http_status: z.int().nullable(),
  reason: z.string().nullable().describe('Why it was not notified. `needs_a_browser`: it has no SOAP address.'),
});
const notifiedModel = z.union([notifiedClient, notifiedServiceProvider]).meta({ id: 'LogoutNotification' });
const notified = z.array(notifiedModel);

export const sessionsApiRoutes: readonly Route[] = [
  {
    path: '/api/sessions',
    audience: 'api',
    largeRead: 'whole',
    methods: { GET: listSessions, DELETE: deleteSessions },
    operations: {
      GET: {
        id: 'listSessions',
        summary: 'Lists the sessions, the newest login first.',
        query: filters,
        answers: { 200: z.strictObject({ sessions: z.array(sessionModel), count }) },
      },
      DELETE: {
        id: 'endSessions',
        summary: 'Ends the sessions that match the filters. Without a filter, ends all.',
        query: filters,
        doesMostWithout: true,
        answers: { 200: z.strictObject({ ended: count, notified }) },
      },
    },
  },
  {
    path: '/api/sessions/:sid',
    audience: 'api',
    methods: { DELETE: deleteSession },
    operations: {
      DELETE: {
        id: 'endSession',
        summary: 'Ends one session.',
        answers: { 200: z.strictObject({ ended: z.string(), notified }) },
        refusals: [managementRefusals.session_not_found],
      },
    },
  },
  {
    path: '/api/consents',
    audience: 'api',
    largeRead: 'whole',
    methods: { GET: listConsents, DELETE: forgetConsents },
    operations: {
      GET: {
        id: 'listConsents',
        summary: 'Lists the consents of users, newest first.',
        query: filters,
        answers: { 200: z.strictObject({ consents: z.array(consentModel), count }) },
      },
      DELETE: {
        id: 'deleteConsents',
        summary: 'Deletes the consents that match the filters. Without a filter, deletes all.',
        query: filters,
        doesMostWithout: true,
        answers: { 200: z.strictObject({ deleted: count }) },
      },
    },
  },
];

async function listSessions({ query }: ParsedRequest, { store, snapshot, clock }: ProtocolContext): Promise<Reply> {
  const limits = sessionLimits(snapshot.settings);
  const found = await store.sessions.list(filterOf(query), limits, clock.now());
  return json(200, { sessions: found.map((session) => shownSession(session, limits)), count: found.length });
}

async function deleteSessions(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const filter = filterOf(request.query);
  const ender = auditOriginOf(request, context);
  const { ended, notified } = await endSessionsFromOutside(filter, ender, { ...context, teller: context });
  return json(200, { ended: ended.length, notified });
}

async function deleteSession(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { sid = '' } = request.pathParameters;
  const ender = auditOriginOf(request, context);
  const { ended, notified } = await endSessionsFromOutside({ sid }, ender, { ...context, teller: context });
  if (ended.length === 0) throw apiError(managementRefusals.session_not_found);
  return json(200, { ended: sid, notified });
}

async function listConsents({ query }: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  const consents = await store.consents.list(filterOf(query));
  return json(200, { consents: consents.map(shownConsent), count: consents.length });
}

async function forgetConsents(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  return json(200, {
    deleted: await deleteConsents(filterOf(request.query), auditOriginOf(request, context), context),
  });
}

/** An empty filter counts as absent. */
export function filterOf(from: ParsedRequest['query']): { readonly username?: string; readonly client_id?: string } {
  const username = from.value('username');
  const client_id = from.value('client_id');
  return { ...(username === undefined ? {} : { username }), ...(client_id === undefined ? {} : { client_id }) };
}

export function auditOriginOf(request: ParsedRequest, context: ProtocolContext): AuditOrigin {
  return { ...requestFacts(request, context), endpoint: request.path };
}
