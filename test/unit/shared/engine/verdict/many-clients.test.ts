// Verdicts on all of several thousand clients. Each costs only as much as that client's own exchanges, and only
// requested verdicts are calculated.
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { readVerdictPage, readVerdicts, type VerdictContext } from '#shared/engine/verdict/read-verdict.ts';
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import type { ExchangeFilter } from '#shared/state/store/ports/index.ts';
import { exchangesOf, type Step } from '#test/support/client-histories.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';

const clients = 1000;

describe('the verdict on many clients', () => {
  let endpointsRead = 0;
  let clientsFound = 0;
  let exchanges: readonly KeptExchange[];

  before(() => {
    const steps = Array.from({ length: clients }, (_, index): Step[] => {
      const facts = { clientId: `client-${index}`, headers: { 'user-agent': `agent/${index % 7}` } };
      const token: Step = ['token', { ...facts, answer: { access_token: 'fp:00000000000a' } }];
      const jwks: Step = ['jwks', { clientId: undefined, headers: facts.headers }];
      return [
        ['authorize', { ...facts, query: { client_id: `client-${index}` } }],
        token,
        ...(index % 10 ? [] : [jwks]),
      ];
    });
    exchanges = exchangesOf(steps.flat()).map(({ endpoint, ...rest }) => ({
      ...rest,
      get endpoint() {
        endpointsRead += 1;
        return endpoint;
      },
    }));
  });
  beforeEach(() => {
    [endpointsRead, clientsFound] = [0, 0];
  });

  const contextWith = (turn?: () => Promise<void>): VerdictContext => {
    const list = async ({ upTo = Number.MAX_SAFE_INTEGER }: ExchangeFilter, limit: number) => {
      return { exchanges: exchanges.filter(({ id }) => id <= upTo).slice(-limit), cursor: exchanges.length };
    };
    const store = {
      exchanges: { list, isWhole: async () => true },
      recorderSwitch: { state: () => undefined },
      identities: {
        findClient: async () => {
          clientsFound += 1;
          return undefined;
        },
        findServiceProvider: async () => undefined,
      },
      metadataDocuments: { find: async () => undefined },
    };
    return {
      store: store as unknown as VerdictContext['store'],
      snapshot: snapshotOf({}),
      ...{ now: instant(0), realNow: instant(Date.parse('2027-01-01')) },
      turn: turn ?? (async () => {}),
    };
  };

  it('reads shared exchanges once, not once for each client', async () => {
    const verdicts = await readVerdicts({}, contextWith());
    expect(verdicts).to.have.length(clients);
    expect(endpointsRead / exchanges.length, 'for each exchange').to.be.below(100);
  });

  it('judges only the clients of the requested page', async () => {
    const { verdicts, subjects } = await readVerdictPage({}, contextWith(), (all) => all.slice(50, 60));
    expect(subjects).to.equal(clients);
    expect(verdicts.map(({ subject }) => subject.client_id)).to.deep.equal(
      Array.from({ length: 10 }, (_, index) => `client-${50 + index}`),
    );
    expect(clientsFound).to.equal(10);
  });

  it('ends as soon as the caller no longer waits', async () => {
    let turns = 0;
    const turn = async () => {
      turns += 1;
      if (turns > 200) throw new Error('the client went away');
    };
    const failure = await readVerdicts({}, contextWith(turn)).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error).with.property('message', 'the client went away');
    expect(clientsFound).to.be.below(20);
  });
});
