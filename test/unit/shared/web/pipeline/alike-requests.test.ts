// Requests that arrive in one turn of the event loop, without sockets: which of them ask the endpoint.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { type Instant, systemClock, systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { nextTurn } from '#shared/base/scheduling/event-loop-turns.ts';
import { cachedJson, replyWithCached } from '#shared/engine/exchange/cached-body.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { html } from '#shared/engine/exchange/reply.ts';
import type { Endpoint } from '#shared/engine/exchange/request.ts';
import { startValuesOf } from '#shared/engine/exchange/start-values.ts';
import type { Fault } from '#shared/model/domain/fault.ts';
import { realTime, standingBy } from '#shared/model/domain/movable-clock.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import type { KeyRing } from '#shared/state/keys/key-ring.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { createFrontend, type Frontend } from '#shared/web/pipeline/frontend.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { silentLogger } from '#test/support/silent-logger.ts';

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

describe('requests that are alike', () => {
  const document = cachedJson({ issuer: 'http://one' });
  const snapshot = snapshotOf({});
  let frontend: Frontend;
  /** How often an endpoint was asked. */
  let asked: number;
  let faults: readonly Fault[];
  let clock: typeof realTime;
  let beforeAnswer: () => unknown;
  let sent: string[];
  /** What the recorder was told: how many requests an exchange stands for, and how many repeat it. */
  let recorded: (readonly ['added' | 'repeated', number])[];
  let isWritten: boolean;

  beforeEach(() => {
    asked = 0;
    faults = [];
    clock = realTime;
    beforeAnswer = () => {};
    sent = [];
    recorded = [];
    isWritten = false;
    const endpoint: Endpoint = async (request) => {
      asked += 1;
      await beforeAnswer();
      return replyWithCached(document, request);
    };
    const store: Partial<RuntimeStore> = {
      clock: { look: () => clock } as RuntimeStore['clock'],
      faults: { inForce: () => faults } as RuntimeStore['faults'],
      recorderSwitch: { state: () => true } as Partial<
        RuntimeStore['recorderSwitch']
      > as RuntimeStore['recorderSwitch'],
      sharedSecrets: { get: async () => 'key of the fingerprints' },
      exchanges: {
        add: ({ times = 1 }) => void recorded.push(['added', times]),
        announce: () => undefined,
        repeats: (_key, _at, times) => {
          if (recorded.length === 0 || isWritten) return false;
          recorded.push(['repeated', times]);
          return true;
        },
      } as Partial<RuntimeStore['exchanges']> as RuntimeStore['exchanges'],
    };
    const services: Partial<ProcessServices> = {
      atStart: startValuesOf(snapshot),
      configuration: {
        peek: () => snapshot,
        current: async () => snapshot,
      } as Partial<ActiveConfiguration> as ActiveConfiguration,
      random: systemRandomness,
      clock: { now: systemClock.now, real: systemClock.now, state: realTime },
      stopwatch: systemStopwatch,
      clockOfRequest: () => standingBy(clock),
      store: store as RuntimeStore,
      keys: {} as KeyRing,
      log: silentLogger(),
    };
    const route = { surface: 'protocol', methods: { GET: endpoint } } as const;
    frontend = createFrontend({
      routes: [
        { ...route, path: '/document' },
        { ...route, path: '/other' },
        { ...route, path: '/jwks', recordedAs: 'jwks' },
        { ...route, path: '/userinfo', recordedAs: 'userinfo' },
      ],
      services: services as ProcessServices,
      renderErrorPage: (status, title) => html(status, title),
      relayed: false,
    });
  });

  /** Arrives now, and is answered as far as that takes no turn of the event loop. */
  async function arrives({ method = 'GET', path = '/document', headers = {} }: Asked = {}): Promise<void> {
    const message = new IncomingMessage(new Socket());
    message.method = method;
    message.url = path;
    for (const [name, value] of Object.entries({ Host: 'idp.example', ...headers })) {
      message.rawHeaders.push(name, value);
      message.headers[name.toLowerCase()] = value;
    }
    const response = new ServerResponse(message);
    const end: (body?: unknown) => ServerResponse = (body) => {
      sent.push(`${response.statusCode} ${body === undefined ? '' : String(body)}`);
      return response;
    };
    response.end = end;
    frontend.listener(message, response);
    for (let each = 0; each < 50; each += 1) await Promise.resolve();
  }

  const whole = `200 ${String(document.whole.body)}`;

  it('ask the endpoint once a turn, and get the same answer', async () => {
    for (let each = 0; each < 3; each += 1) await arrives();
    expect([asked, sent]).to.deep.equal([1, [whole, whole, whole]]);
    await nextTurn();
    await arrives();
    expect([asked, sent.length]).to.deep.equal([2, 4]);
  });

  for (const [what, other] of [
    ['method', { method: 'HEAD' }],
    ['path', { path: '/other' }],
    ['query', { path: '/document?a=b' }],
    ['header', { headers: { Origin: 'https://app.example' } }],
    ['Host', { headers: { Host: 'other.example' } }],
  ] as const satisfies readonly (readonly [string, Asked])[]) {
    it(`are not those that differ in their ${what}`, async () => {
      await arrives();
      await arrives(other);
      await arrives();
      expect(asked).to.equal(2);
    });
  }

  it('are told apart by what they have already', async () => {
    const has = { headers: { 'If-None-Match': document.etag } };
    await arrives();
    await arrives(has);
    await arrives();
    expect(sent).to.deep.equal([whole, '304 ', whole]);
  });

  it('each meet the faults in force', async () => {
    faults = [{} as Fault];
    await arrives();
    await arrives();
    expect(asked).to.equal(2);
  });

  it('are each told what time it is while the clock is moved', async () => {
    clock = { offsetMilliseconds: 0, frozenAt: 1_000 as Instant };
    await arrives();
    await arrives();
    expect(asked).to.equal(2);
  });

  it('get no answer that was begun in an earlier turn', async () => {
    let goOn = () => {};
    beforeAnswer = () => new Promise<void>((resolve) => (goOn = resolve));
    await arrives();
    await nextTurn();
    beforeAnswer = () => {};
    const late = arrives({ path: '/other' });
    goOn();
    await late;
    await arrives();
    expect([asked, sent.length]).to.deep.equal([3, 3]);
  });

  it('hear that their connection ends as soon as the worker drains', async () => {
    await arrives();
    frontend.beginDrain();
    await arrives();
    expect(asked).to.equal(2);
  });

  it('are counted by the recorder once a turn', async () => {
    for (let each = 0; each < 4; each += 1) await arrives({ path: '/jwks' });
    expect([asked, recorded]).to.deep.equal([1, [['added', 1]]]);
    await nextTurn();
    expect(recorded).to.deep.equal([
      ['added', 1],
      ['repeated', 3],
    ]);
  });

  it('are counted anew when the first of them was written meanwhile', async () => {
    for (let each = 0; each < 3; each += 1) await arrives({ path: '/jwks' });
    isWritten = true;
    await nextTurn();
    expect(recorded).to.deep.equal([
      ['added', 1],
      ['added', 2],
    ]);
  });

  it('are counted when the worker drains in the middle of the turn', async () => {
    for (let each = 0; each < 2; each += 1) await arrives({ path: '/jwks' });
    frontend.beginDrain();
    expect(recorded).to.deep.equal([
      ['added', 1],
      ['repeated', 1],
    ]);
    await nextTurn();
    expect(recorded.length).to.equal(2);
  });

  it('each stand for themselves where the recorder counts none together', async () => {
    for (let each = 0; each < 2; each += 1) await arrives({ path: '/userinfo' });
    expect([asked, recorded]).to.deep.equal([
      2,
      [
        ['added', 1],
        ['added', 1],
      ],
    ]);
  });
});
