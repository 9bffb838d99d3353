import { expect } from 'chai';
import { commandHelp } from '#cli/help.ts';
import { optionsOf } from '#cli/options.ts';

describe('the help of a command', () => {
  for (const [name, options] of Object.entries(optionsOf) as [keyof typeof optionsOf, object][]) {
    it(`lists exactly the options that the parser of ${name} accepts, in lines that fit`, () => {
      const lines = commandHelp(name).split('\n');
      const named = lines.flatMap((line) => /^ {2}--([\w-]+)/.exec(line)?.[1] ?? []);
      expect(named).to.deep.equal(Object.keys(options));
      expect(lines.filter((line) => line.length > 120)).to.deep.equal([]);
    });
  }
});
