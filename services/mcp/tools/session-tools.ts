// Sessions and consents of the running server (SSO-44), as in /api/sessions and /api/consents.
import * as z from 'zod';
import { deleteConsents, endSessionsFromOutside } from '#shared/engine/login/end-sessions.ts';
import { shownConsent, shownSession } from '#shared/engine/login/show-sessions.ts';
import { keyRingSigner } from '#shared/engine/tokens/signer.ts';
import { sessionLimits } from '#shared/model/domain/session.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { successOutput } from '../common-models.ts';
import { defineTool, inForce, requireServer, type Tool } from '../tool.ts';
import { toolFailure } from '../tool-failure.ts';

const anyObject = z.record(z.string(), z.unknown());
const filters = {
  username: z.string('must be a string').optional().meta({ description: 'Only those of this user.' }),
  client_id: z.string('must be a string').optional().meta({ description: 'Only those this client takes part in.' }),
};

const listSessions = defineTool({
  name: 'list_sessions',
  takesSandbox: true,
  title: 'Read the sessions',
  description:
    'Lists the sessions of the running server, the newest login first: user, browser, method, acr, times, and the clients and service providers that take part. They are used while login.session is on.',
  arguments: filters,
  output: { sessions: z.array(anyObject), count: z.int() },
  async handle(filter, context) {
    requireServer(context);
    const limits = sessionLimits(inForce(context).settings);
    const found = await context.store.sessions.list(filter, limits, context.clock.now());
    return { sessions: found.map((session) => shownSession(session, limits)), count: found.length };
  },
});

const endSession = defineTool({
  name: 'end_session',
  takesSandbox: true,
  title: 'End sessions',
  description:
    'Ends the session of a sid, or all that fit the filters, all of them without any: the next request of that browser asks for a login again. Answers how many ended and who was told.',
  mutating: true,
  destructive: true,
  refusesUnknown: true,
  arguments: { sid: z.string('must be a string').optional().meta({ description: 'Of list_sessions.' }), ...filters },
  output: { ...successOutput, ended: z.int().optional(), notified: z.array(anyObject).optional() },
  async handle(filter, context) {
    requireServer(context);
    const ender = { endpoint: 'mcp:end_session', method: 'MCP' };
    const inside = { ...context, snapshot: inForce(context) };
    const teller = { ...inside, signer: keyRingSigner(context.keys) };
    const { ended, notified } = await endSessionsFromOutside(filter, ender, { ...inside, teller });
    if (filter.sid !== undefined && ended.length === 0) {
      throw toolFailure(managementRefusals.session_not_found);
    }
    return { success: true, ended: ended.length, notified };
  },
});

const listConsents = defineTool({
  name: 'list_consents',
  takesSandbox: true,
  title: 'Read the consents',
  description:
    'Lists what users have allowed clients at the running server, the newest first: username, client_id, scope and given_at. They are remembered while login.consent is first.',
  arguments: filters,
  output: { consents: z.array(anyObject), count: z.int() },
  async handle(filter, context) {
    requireServer(context);
    const consents = await context.store.consents.list(filter);
    return { consents: consents.map(shownConsent), count: consents.length };
  },
});

const deleteConsentsTool = defineTool({
  name: 'delete_consents',
  takesSandbox: true,
  title: 'Forget consents',
  description:
    'Forgets consents of the running server, all of them without a filter, so that the next login asks the person again.',
  mutating: true,
  destructive: true,
  refusesUnknown: true,
  arguments: filters,
  output: { ...successOutput, deleted: z.int().optional() },
  async handle(filter, context) {
    requireServer(context);
    const ender = { endpoint: 'mcp:delete_consents', method: 'MCP' };
    return { success: true, deleted: await deleteConsents(filter, ender, context) };
  },
});

export const sessionTools: readonly Tool[] = [listSessions, endSession, listConsents, deleteConsentsTool];
