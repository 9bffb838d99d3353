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
  client_id: z.string('must be a string').optional().meta({ description: 'Only those with this client.' }),
};

const listSessions = defineTool({
  name: 'list_sessions',
  takesSandbox: true,
  title: 'Read the sessions',
  description:
    'Lists the running server’s sessions, the newest login first: user, browser, method, acr, times, clients and service providers. Used while login.session is on.',
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
    'Ends the session with this sid, or all that match the filters. Without arguments, ends all. The browser’s next request needs a new login. Returns how many ended and who was notified.',
  mutating: true,
  destructive: true,
  refusesUnknown: true,
  arguments: {
    sid: z.string('must be a string').optional().meta({ description: 'A sid from list_sessions.' }),
    ...filters,
  },
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
    'Lists the consents of users to clients at the running server, newest first: username, client_id, scope and given_at. Stored while login.consent is first.',
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
  title: 'Delete consents',
  description:
    'Deletes the running server’s consents that match the filters. Without a filter, deletes all. The next login asks the user again.',
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
