// The one entry of a request: what was told of it, and what a refusal or a fault makes of that.
import { expect } from 'chai';
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import { instant } from '#shared/clock.ts';
import { realTime, standingBy } from '#shared/domain/movable-clock.ts';
import { Parameters } from '#shared/http/parameters.ts';
import { type AuditedEndpoint, audited } from '#shared/http/pipeline/audited.ts';
import { empty } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { tokenRefusals } from '#shared/refusals/families/token.ts';
import { refused } from '#shared/refusals/refusal.ts';

/** What was recorded of one request, and how it ended. */
async function recorded(answer: AuditedEndpoint) {
  const events: (Partial<AuditEvent> & { readonly done: boolean | undefined })[] = [];
  const request: Partial<ParsedRequest> = {
    method: 'POST',
    path: '/asked',
    query: new Parameters([]),
    form: new Parameters([]),
  };
  const audit: Pick<RequestContext['audit'], 'record'> = {
    async record({ status, username, client_id, details, endpoint }, options) {
      events.push({ status, username, client_id, details: details ?? {}, endpoint, done: options?.done });
    },
  };
  const context = { audit, clock: standingBy(realTime, { now: () => instant(0) }) };
  const endpoint = audited({ event_type: 'token_request' }, answer);
  const ended = await endpoint(request as ParsedRequest, context as RequestContext).then(
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
      note.knows({ client_id: 'claimed', details: { a: 1 } });
      note.tellsIfRefused({ only: 'when refused' });
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
      note.knows({ client_id: 'web' });
      note.tellsIfRefused({ grant_type: 'authorization_code' });
      throw refusal;
    });
    expect(ended).to.equal(refusal);
    const details = { reason: 'The code was used before', refusal: 'code_used', grant_type: 'authorization_code' };
    expect(events).to.deep.equal([{ ...base, status: 'failed', client_id: 'web', username: 'alice', details }]);
  });

  it('leaves out what must leave no entry', async () => {
    const { events } = await recorded(async () => {
      throw oauthError(tokenRefusals.device_pending, undefined, { unrecorded: true });
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
});
