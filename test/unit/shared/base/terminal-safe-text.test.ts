// How untrusted text is shown.
import { expect } from 'chai';
import { asLines, asOneLine, jsonText } from '#shared/base/terminal-safe-text.ts';

const unruly = '\0\u0007\u001b\u007f\u0085\u009b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069';

describe('terminal control characters', () => {
  it('are escaped in JSON, which keeps its meaning', () => {
    const value = { [`name${unruly}`]: [`${unruly}\n\t`, 'ü 漢 \u{1F600}'] };
    for (const text of [jsonText(value), jsonText(value, 2)]) {
      expect(text).to.not.match(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
      expect(text).to.include('ü 漢 \u{1F600}');
      expect(JSON.parse(text)).to.deep.equal(value);
    }
  });

  it('are escaped in lines, which keep their line ends and tabs', () => {
    expect(asLines(`a${unruly}\r\n\tb`)).to.match(/^a(?:\\u[0-9a-f]{4}){15}\r\n\tb$/);
    expect(asOneLine('a\r\n\tb')).to.equal('a\\u000d\\u000a\\u0009b');
  });
});
