// What `npm run judge` found stays about the catalogue as it is. The judging itself needs tools and minutes, and is no test.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readJudgedResults, rowsFor, withJudgedClients } from '#build/judged-clients.ts';
import { judgedClients } from '#test/interop/judge/clients.ts';

describe('the judged clients', () => {
  const results = readJudgedResults();

  it('are those that the command judges, in its order', () => {
    const judged = judgedClients.map(({ name, protocol }) => `${name} ${protocol}`);
    expect(Object.entries(results).map(([name, { protocol }]) => `${name} ${protocol}`)).to.deep.equal(judged);
  });

  it('have a verdict for every row that a correct client of their protocol rejects, and for no other: npm run judge', () => {
    for (const [name, { protocol, verdicts }] of Object.entries(results)) {
      expect(Object.keys(verdicts), name).to.have.members(rowsFor(protocol).map((row) => row.name));
    }
  });

  it('between them meet every such row but that of an attribute query, whose answers none of them reads', () => {
    const met = (row: string) =>
      Object.values(results).some(({ verdicts }) => (verdicts[row] ?? 'not_met') !== 'not_met');
    const unmet = [...rowsFor('oidc'), ...rowsFor('saml')].filter(({ name }) => !met(name)).map(({ name }) => name);
    expect(unmet).to.deep.equal(['saml_query_other_subject']);
  });

  it('stand in docs/faults.md as they were found: npm run docs', () => {
    const text = readFileSync(new URL('../../docs/faults.md', import.meta.url), 'utf8');
    expect(text).to.equal(withJudgedClients(text, results));
  });
});
