// Checks that the gate fails for each of its faults.
import { expect } from 'chai';
import { checkRequirements } from '#test/requirements/check-requirements.ts';
import { readCitations } from '#test/requirements/read-citations.ts';
import type { Requirement } from '#test/requirements/row.ts';

const citing = (...ids: string[]) => ids.map((id) => ({ id, where: 'a.test.ts:1' }));
const faultsOf = (requirements: readonly Requirement[], ...cited: string[]) =>
  checkRequirements([{ name: 'abc', requirements }], citing(...cited)).faults;

describe('the requirements gate', () => {
  it('passes when every row is cited or pending', () => {
    const verdict = checkRequirements(
      [
        {
          name: 'abc',
          requirements: [
            { id: 'ABC-01', says: 'one' },
            { id: 'ABC-02', says: 'two', pending: true },
          ],
        },
      ],
      citing('ABC-01', 'ABC-01'),
    );
    expect(verdict).to.deep.equal({ faults: [], pending: [{ id: 'ABC-02', says: 'two', pending: true }], proved: 1 });
  });

  it('numbers each series separately', () => {
    const rows = [
      { id: 'ABC-01', says: 'one' },
      { id: 'ABC-K01', says: 'key' },
    ];
    expect(faultsOf(rows, 'ABC-01', 'ABC-K01')).to.deep.equal([]);
  });

  const faulty: readonly [string, readonly Requirement[], readonly string[], string][] = [
    [
      'an unknown id',
      [{ id: 'ABC-01', says: 'one' }],
      ['ABC-01', 'ABC-02'],
      'a.test.ts:1 cites ABC-02, which no row has',
    ],
    [
      'two rows of one id',
      [
        { id: 'ABC-01', says: 'one' },
        { id: 'ABC-01', says: 'again' },
      ],
      ['ABC-01'],
      'ABC-01 has two rows',
    ],
    [
      'a pending row that is cited',
      [{ id: 'ABC-01', says: 'one', pending: true }],
      ['ABC-01'],
      'ABC-01 is pending, but a.test.ts:1 cites it: take pending out',
    ],
    [
      'an uncited row that is not pending',
      [{ id: 'ABC-01', says: 'one' }],
      [],
      'ABC-01 is cited by no test: prove it or mark it pending',
    ],
    [
      'a gap',
      [
        { id: 'ABC-01', says: 'one' },
        { id: 'ABC-03', says: 'three' },
      ],
      ['ABC-01', 'ABC-03'],
      'abc.ts: ABC-02 is missing between its neighbours',
    ],
    ['a row of another section', [{ id: 'XYZ-01', says: 'one' }], ['XYZ-01'], 'abc.ts: XYZ-01 belongs into xyz.ts'],
    ['an id of another form', [{ id: 'abc1', says: 'one' }], ['abc1'], "abc.ts: 'abc1' is no clause id"],
    ['a row that says nothing', [{ id: 'ABC-01', says: ' ' }], ['ABC-01'], 'abc.ts: ABC-01 says nothing'],
    ['an empty file', [], [], 'abc.ts has no rows'],
  ];
  for (const [what, rows, cited, fault] of faulty) {
    it(`fails on ${what}`, () => expect(faultsOf(rows, ...cited)).to.include(fault));
  }
});

describe('the citations in the tests', () => {
  // Composed here, so that the gate does not read these examples as citations.
  const verify = 'verifies';
  const read = (text: string) => readCitations([{ path: 'x.test.ts', text }]);

  it('are read from single ids and lists over several lines', () => {
    const text = `import { x } from 'y';\n${verify}('ABC-01', 'title', () => {});\n${verify}(\n  ['ABC-02', "ABC-03",\n  ],\n 'title');`;
    expect(read(text)).to.deep.equal({
      citations: [
        { id: 'ABC-01', where: 'x.test.ts:2' },
        { id: 'ABC-02', where: 'x.test.ts:3' },
        { id: 'ABC-03', where: 'x.test.ts:3' },
      ],
      faults: [],
    });
  });

  it('are not read from comments', () => {
    expect(read(`// ${verify}('ABC-01', 'title')\n/* ${verify}('ABC-02', 'title') */`).citations).to.deep.equal([]);
  });

  for (const argument of ['id', '`ABC-01`', "['ABC-01', ...more]", '[]', "cond ? 'ABC-01' : 'ABC-02'"]) {
    it(`must be literals: ${argument} is reported`, () => {
      expect(read(`${verify}(${argument}, 'title', body)`)).to.deep.equal({
        citations: [],
        faults: ['x.test.ts:1 calls verifies without literal ids'],
      });
    });
  }
});
