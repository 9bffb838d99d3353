// The one entry of a request: what was told of it, and what a refusal or a fault makes of that.
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { Parameters } from '#shared/base/parameters.ts';
import { type AuditedEndpoint, AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { empty } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { clockAt, realTime } from '#shared/model/domain/movable-clock.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import { verifies } from '#test/support/verifies.ts';

/** What was recorded of one request, and how it ended. */
async function recorded(
  answer: AuditedEndpoint,
  further: Partial<Pick<ManagementContext, 'fault'>> & { readonly broken?: (event: AuditEvent) => boolean } = {},
) {
  const events: (Partial<AuditEvent> & { readonly done: boolean | undefined })[] = [];
  const request: Partial<ParsedRequest> = {
    method: 'POST',
    path: '/asked',
    query: new Parameters([]),
    form: new Parameters([]),
  };
  const audit: Pick<ManagementContext['audit'], 'record'> = {
    async record(event, options) {
      const { status, username, client_id, details, endpoint } = event;
      if (further.broken?.(event) === true) throw new Error('The audit is locked.');
      // Another one fails before it.
      await new Promise((resolve) => setImmediate(resolve));
      events.push({ status, username, client_id, details: details ?? {}, endpoint, done: options?.done });
    },
  };
  const context = { audit, clock: clockAt(realTime, { now: () => instant(0) }), fault: further.fault };
  const endpoint = audited({ event_type: 'token_request' }, answer);
  const ended = await endpoint(request as ParsedRequest, context as ManagementContext).then(
    ({ status }) => status,
    (error: unknown) => error,
  );
  return { events, ended };
}

const base = { endpoint: '/asked', username: undefined, client_id: undefined, done: false };

describe('audited', () => {
  it('records nothing of which nothing was told', async () => {
    expect((await recorded(async () => empty(200))).events).to.deep.equal([]);
  });

  it('adds what is known to the outcome, which may know better', async () => {
    const { events, ended } = await recorded(async (_request, _context, note) => {
      note.add({ client_id: 'claimed', details: { a: 1 } });
      note.onRejection({ only: 'when refused' });
      note.succeeded({ client_id: 'proved', username: 'alice', details: { b: 2 } }, { done: true });
      return empty(200);
    });
    expect(ended).to.equal(200);
    const details = { a: 1, b: 2 };
    expect(events).to.deep.equal([
      { ...base, status: 'success', client_id: 'proved', username: 'alice', details, done: true },
    ]);
  });

  it('records a refusal that is thrown, with its code, and throws it on', async () => {
    const refusal = oauthError(tokenRefusals.code_used, undefined, { username: 'alice' });
    const { events, ended } = await recorded(async (_request, _context, note) => {
      note.add({ client_id: 'web' });
      note.onRejection({ grant_type: 'authorization_code' });
      throw refusal;
    });
    expect(ended).to.equal(refusal);
    const details = { reason: 'The code was already used', refusal: 'code_used', grant_type: 'authorization_code' };
    expect(events).to.deep.equal([{ ...base, status: 'failed', client_id: 'web', username: 'alice', details }]);
  });

  it('leaves out what must leave no entry', async () => {
    const { events } = await recorded(async () => {
      throw oauthError(tokenRefusals.device_pending);
    });
    expect(events).to.deep.equal([]);
  });

  it('keeps the refusal that was told first when another is thrown after it', async () => {
    const { events } = await recorded(async (_request, _context, note) => {
      note.refused(refused(tokenRefusals.code_unknown));
      throw oauthError(tokenRefusals.code_used);
    });
    expect(events.map(({ details }) => details?.refusal)).to.deep.equal(['code_unknown']);
  });

  it('records what was done although the answer failed, and of a fault alone nothing', async () => {
    const fault = new Error('disk');
    const done = await recorded(async (_request, _context, note) => {
      note.succeeded({}, { done: true });
      throw fault;
    });
    expect(done.ended).to.equal(fault);
    expect(done.events).to.deep.equal([{ ...base, status: 'success', details: {}, done: true }]);
    const failed = await recorded(async () => {
      throw fault;
    });
    expect(failed.events).to.deep.equal([]);
  });

  const join: AuditedEndpoint = async (request, context, note) => {
    const login = new AuditNote();
    login.succeeded({ username: 'alice' }, { done: true });
    note.joinedBy(login, { event_type: 'login', endpoint: '/login' }, request, context);
    note.succeeded({ username: 'alice' });
    return empty(200);
  };
  const ofLogin = { ...base, endpoint: '/login', status: 'success', username: 'alice', details: {}, done: true };

  verifies(['AUD-09', 'AUD-23'], 'records an entry that joined it, also when its own fails', async () => {
    const own = { ...base, status: 'success', username: 'alice', details: {} };
    expect((await recorded(join)).events).to.deep.equal([ofLogin, own]);
    const { events, ended } = await recorded(join, { broken: ({ endpoint }) => endpoint !== '/login' });
    expect(ended).to.be.instanceOf(Error);
    expect(events).to.deep.equal([ofLogin]);
  });

  verifies('AUD-23', 'records both when the fault of the request cannot be settled', async () => {
    const settle = () => Promise.reject(new Error('The store is locked.'));
    const fault = { settle, forEntry: () => ({}) } as unknown as ManagementContext['fault'];
    const { events, ended } = await recorded(join, { fault });
    expect(ended).to.be.instanceOf(Error);
    expect(events.map(({ endpoint }) => endpoint)).to.deep.equal(['/login', '/asked']);
  });
});
