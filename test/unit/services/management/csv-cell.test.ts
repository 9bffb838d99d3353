// Cells of the audit's CSV export.
import { expect } from 'chai';
import { csvCell } from '#services/management/pages/audit/export.ts';

describe('csvCell', () => {
  const cases: readonly (readonly [value: unknown, cell: string])[] = [
    [null, ''],
    ['', ''],
    ['alice', 'alice'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    [{ a: 1 }, '"{""a"":1}"'],
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@x', `"'@x"`],
    ['  =1', `"'  =1"`],
    ['\t=1', `"'\t=1"`],
    ['\rx', `"'\rx"`],
    ['\u200b=1', `"'\u200b=1"`],
    ['＝1', `"'＝1"`],
    ['a=1', 'a=1'],
    ["it's", `"it's"`],
    ['\u001b[2J\u0007\0\u0085\u202eevil', '\\u001b[2J\\u0007\\u0000\\u0085\\u202eevil'],
    [{ name: '\u2066' }, '"{""name"":""\\u2066""}"'],
  ];
  for (const [value, cell] of cases) {
    it(`writes ${JSON.stringify(value)} as ${JSON.stringify(cell)}`, () => expect(csvCell(value)).to.equal(cell));
  }
});
