// Nobody asks for a kind of `runtime.store` by its name, only for what it can do: what a new kind differs in is then said
// in two tables, and nowhere else.
import { expect } from 'chai';
import { storeKindNames } from '#shared/model/configuration/store-kinds.ts';
import { codeOf, lineAt, sourceFiles } from '#test/support/source-text.ts';

const sources = ['api', 'cli', 'services', 'shared', 'supervisor'].flatMap((room) => sourceFiles(room));

/** Where the kinds are told apart: they are at home there. */
const isAtHome = (path: string) => /^shared\/(?:state\/store|model\/runtime-store)\//.test(path);

const byName = new RegExp(`(?:[!=]==? |case )'(?:${storeKindNames.join('|')})'`, 'g');

const strays = (text: string) => {
  const code = codeOf(text, { keepStrings: true });
  return [...code.matchAll(byName)].map(({ 0: found, index }) => `${lineAt(code, index)}: ${found}`);
};

describe('the kinds of a store', () => {
  it('are asked for what they can do, not by their names', () => {
    const found = sources
      .filter(({ path }) => !isAtHome(path))
      .flatMap(({ path, text }) => strays(text).map((stray) => `${path}:${stray}`));
    expect(found).to.deep.equal([]);
    expect(sources.length).to.be.greaterThan(700);
  });

  it('are found where somebody does', () => {
    const [first, second] = strays("if (store === 'sqlite') {}\nswitch (store) { case 'postgres': }\n// === 'memory'");
    expect([first, second]).to.deep.equal(["1: === 'sqlite'", "2: case 'postgres'"]);
    expect(strays("kind = 'sqlite'; // === 'memory'")).to.deep.equal([]);
  });
});
