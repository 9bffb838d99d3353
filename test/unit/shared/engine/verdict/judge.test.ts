// How the rules become a verdict: which findings in which order, with which evidence, and what counts as evidence.
import { expect } from 'chai';
import { fails } from '#shared/engine/verdict/judge.ts';
import { verdictRules } from '#shared/engine/verdict/rules/index.ts';
import { verdictText } from '#shared/engine/verdict/verdict-text.ts';
import { judged, type Step } from '#test/support/client-histories.ts';
import { verifies } from '#test/support/verifies.ts';

const password: Step = ['token', { body: { grant_type: 'password' }, answer: { access_token: 'fp:00000000000a' } }];
const bare: Step = ['authorize', { query: { client_id: 'web', state: 'short' } }];

describe('the verdict', () => {
  verifies(['VER-03', 'VER-04', 'VER-05'], 'lists each rule exactly once, and the worst finding first', () => {
    const verdict = judged([password, bare]);
    expect(verdict.status).to.equal('error');
    expect(verdict.findings.map(({ severity, rule }) => [severity, rule.id])).to.deep.equal([
      ['error', 'grant_deprecated'],
      ['error', 'pkce_missing'],
      ['warning', 'state_short'],
      ['advice', 'discovery_not_used'],
    ]);
    const http: Step = ['authorize', { query: { client_id: 'web', redirect_uri: 'http://app.example/cb' } }];
    const errors = judged([http, password]).findings.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ rule }) => rule.id)).to.deep.equal([
      'grant_deprecated',
      'pkce_missing',
      'redirect_uri_http',
      'state_missing',
    ]);
    const { findings, clean, notObserved } = verdict;
    const details = [...findings.map(({ rule }) => rule.id), ...[...clean, ...notObserved].map(({ id }) => id)];
    expect(details.sort()).to.deep.equal(verdictRules.map(({ id }) => id).sort());
    expect(judged([password, bare])).to.deep.equal(verdict);
    expect(judged([])).to.deep.include({ status: 'nothing_seen', exchanges: 0, findings: [], clean: [] });
    expect(judged([['login', {}]]).status).to.equal('clean');
  });

  verifies('VER-02', 'counts the occurrences, and shows at most 20 exchanges, the worst first', () => {
    const [finding] = judged(Array.from({ length: 25 }, () => password)).findings;
    expect([finding?.count, finding?.evidence.length]).to.deep.equal([25, 20]);
    const mixed: Step = [
      'authorize',
      { query: { client_id: 'web', code_challenge: 'x', code_challenge_method: 'S256' } },
    ];
    const stateless: Step = ['authorize', { query: { client_id: 'web' } }];
    const { findings } = judged([...Array.from({ length: 20 }, () => mixed), stateless]);
    const missing = findings.find(({ rule }) => rule.id === 'state_missing');
    expect([missing?.severity, missing?.count]).to.deep.equal(['error', 21]);
    expect(missing?.evidence.map(({ id }) => id)).to.deep.equal(
      [...Array(19).keys()].map((index) => index + 1).concat(21),
    );
  });

  verifies('VER-06', 'does not blame a client for the effects of a fault', () => {
    const reused: Step = ['token', { flow: 1, body: { grant_type: 'authorization_code', code: 'fp:00000000000c' } }];
    const confusedBy = (fault: string | undefined): Step[] => [['authorize', { flow: 1, fault }], reused, reused];
    const found = (steps: Step[]) => judged(steps).findings.map(({ rule }) => rule.id);
    expect(found(confusedBy(undefined))).to.include('code_reused');
    expect(found(confusedBy('status'))).to.deep.equal([]);
    expect(judged(confusedBy('status')).status).to.equal('nothing_seen');
    // Exchanges before the fault count, and those of another flow.
    const [endpoint, details] = reused;
    expect(found([reused, reused, [endpoint, { ...details, fault: 'status' }]])).to.include('code_reused');
    // The other exchange of a finding must not come from a fault either.
    const fetch = (fault?: string): Step => ['jwks', { clientId: undefined, repeated: 6, fault }];
    const issued: Step = ['token', { body: { grant_type: 'client_credentials' } }];
    expect(found([fetch(), issued])).to.include('jwks_every_time');
    expect(found([fetch('jwks_empty'), issued])).to.not.include('jwks_every_time');
  });

  verifies('VER-01', 'judges only exchanges after a cursor, but knows the earlier ones', () => {
    const state = (value: string): Step => ['authorize', { query: { client_id: 'web', state: value } }];
    const steps = [password, state('af0ifjsldkj-af0ifjsldkj'), state('af0ifjsldkj-af0ifjsldkj')];
    const { findings, exchanges } = judged(steps, {}, 2);
    expect(exchanges).to.equal(1);
    expect(findings.map(({ rule }) => rule.id))
      .to.include('state_repeated')
      .and.not.include('grant_deprecated');
    expect(judged(steps, {}, 3).status).to.equal('nothing_seen');
  });

  verifies('VER-11', 'fails for this severity or worse, and if nothing was seen', () => {
    const failing = (status: Parameters<typeof fails>[0]) =>
      (['error', 'warning', 'advice'] as const).filter((on) => fails(status, on));
    expect(failing('error')).to.deep.equal(['error', 'warning', 'advice']);
    expect(failing('warning')).to.deep.equal(['warning', 'advice']);
    expect(failing('advice')).to.deep.equal(['advice']);
    expect(failing('clean')).to.deep.equal([]);
    expect(failing('nothing_seen')).to.deep.equal(['error', 'warning', 'advice']);
  });
});

describe('a verdict as text', () => {
  it('uses the singular for one exchange and the plural for several', () => {
    const of = (exchanges: number) => {
      const subject = { client_id: 'web', sp: null, flow: null };
      return verdictText([{ subject, status: 'clean', findings: [], clean: [], notObserved: [], exchanges }]);
    };
    expect(of(1)).to.contain('web: clean (1 exchange judged)');
    expect(of(2)).to.contain('web: clean (2 exchanges judged)');
  });
});
