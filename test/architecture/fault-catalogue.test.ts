// The catalogue of faults against the contract and the tests: a row without a clause, or whose clause no test cites, is red.
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { faultCatalogue } from '#shared/faults/catalogue/index.ts';
import { correctClients } from '#shared/faults/fault-row.ts';
import { withFaults } from '#shared/faults/faults-document.ts';
import { requirements } from '#test/requirements/flt.ts';
import { readCitations } from '#test/requirements/read-citations.ts';

const root = new URL('../', import.meta.url);

function testSources() {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));
}

describe('the catalogue of faults', () => {
  it('has a clause for each row, by its name, and a test that cites it', () => {
    const cited = new Set(readCitations(testSources()).citations.map(({ id }) => id));
    const wrong = faultCatalogue.filter(({ id, name }) => {
      const clause = requirements.find((each) => each.id === id);
      return clause === undefined || !clause.says.startsWith(`${name}:`) || clause.pending === true || !cited.has(id);
    });
    expect(wrong.map(({ id, name }) => `${id} ${name}`)).to.deep.equal([]);
  });

  it('has each id and name once, in the order of the contract', () => {
    const ids = faultCatalogue.map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)].sort());
    const names = faultCatalogue.map(({ name }) => name);
    expect(names).to.have.length(new Set(names).size);
    for (const name of names) expect(name).to.match(/^[a-z0-9]+(_[a-z0-9]+)*$/);
  });

  it('is listed in docs/faults.md as the rows have it: npm run docs', () => {
    const text = readFileSync(new URL('../docs/faults.md', root), 'utf8');
    expect(text).to.equal(withFaults(text));
  });

  it('describes each row and parameter, and does what its phase says', () => {
    for (const row of faultCatalogue) {
      const { seam } = row.transform({});
      // What a device polls for is changed in either phase.
      const phase = seam === 'answer' || seam === 'refusal' ? 'before' : 'after';
      if (seam !== 'device_grant') expect(row.phase, row.name).to.equal(phase);
      expect(correctClients).to.include(row.client);
      expect([row.effect, row.source].join()).to.match(/\S.*\S/);
      for (const [name, parameter] of Object.entries(row.parameters.shape)) {
        expect(Reflect.get(parameter, 'description'), `${row.name}.${name}`).to.match(/\.$/);
      }
    }
  });
});
