// Code never checks the name of a `runtime.store` kind, only its properties. So two tables define all differences of a
// new kind.
import { expect } from 'chai';
import { storeKindNames } from '#shared/model/configuration/store-kinds.ts';
import { codeOf, lineAt, sourceFiles } from '#test/support/source-text.ts';

const sources = ['api', 'cli', 'services', 'shared', 'supervisor'].flatMap((folder) => sourceFiles(folder));

/** The files that define the kinds. */
const isAtHome = (path: string) => /^shared\/(?:state\/store|model\/runtime-store)\//.test(path);

const byName = new RegExp(`(?:[!=]==? |case )'(?:${storeKindNames.join('|')})'`, 'g');

const strays = (text: string) => {
  const code = codeOf(text, { keepStrings: true });
  return [...code.matchAll(byName)].map(({ 0: found, index }) => `${lineAt(code, index)}: ${found}`);
};

describe('the kinds of a store', () => {
  it('are distinguished by properties, not by name', () => {
    const found = sources
      .filter(({ path }) => !isAtHome(path))
      .flatMap(({ path, text }) => strays(text).map((stray) => `${path}:${stray}`));
    expect(found).to.deep.equal([]);
    expect(sources.length).to.be.greaterThan(700);
  });

  it('are detected where code checks a name', () => {
    const [first, second] = strays("if (store === 'sqlite') {}\nswitch (store) { case 'postgres': }\n// === 'memory'");
    expect([first, second]).to.deep.equal(["1: === 'sqlite'", "2: case 'postgres'"]);
    expect(strays("kind = 'sqlite'; // === 'memory'")).to.deep.equal([]);
  });
});
