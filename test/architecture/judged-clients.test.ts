// The results of `npm run judge` match the current catalogue. Judging itself needs tools and minutes, so it is not a
// test.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readJudgedResults, rowsFor, withJudgedClients } from '#build/judged-clients.ts';
import { judgedClients } from '#test/interop/judge/clients.ts';

describe('the judged clients', () => {
  const results = readJudgedResults();

  it('are those of the command, in its order', () => {
    const judged = judgedClients.map(({ name, protocol }) => `${name} ${protocol}`);
    expect(Object.entries(results).map(([name, { protocol }]) => `${name} ${protocol}`)).to.deep.equal(judged);
  });

  it('have a result for exactly the rows that a correct client of their protocol rejects, or else need npm run judge', () => {
    for (const [name, { protocol, verdicts }] of Object.entries(results)) {
      expect(Object.keys(verdicts), name).to.have.members(rowsFor(protocol).map((row) => row.name));
    }
  });

  it('together meet every such row except the attribute query, whose responses none of them reads', () => {
    const met = (row: string) =>
      Object.values(results).some(({ verdicts }) => (verdicts[row] ?? 'not_met') !== 'not_met');
    const unmet = [...rowsFor('oidc'), ...rowsFor('saml')].filter(({ name }) => !met(name)).map(({ name }) => name);
    expect(unmet).to.deep.equal(['saml_query_other_subject']);
  });

  it('are listed in docs/faults.md, or else need npm run docs', () => {
    const text = readFileSync(new URL('../../docs/faults.md', import.meta.url), 'utf8');
    expect(text).to.equal(withJudgedClients(text, results));
  });
});
