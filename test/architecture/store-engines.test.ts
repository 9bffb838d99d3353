// Each store operation is written once, in operations/. Only the engine itself exists once per database.
import { expect } from 'chai';
import { sourceFiles } from '#test/support/source-text.ts';

/** How each database does something that every engine must do. */
const enginePairs = [
  'cached-state.ts',
  'condition-adapter.ts',
  'database.ts',
  'dialect.ts',
  'known-state.ts',
  'namespace-context.ts',
  'namespace-life.ts',
  'operation-context.ts',
  'proof-of-life.ts',
  'steps.ts',
];
/** The log of audit events and of exchanges, and the tables. */
const engineFolders = /^(?:audit|exchanges|schema)\//;

describe('the engines of the store', () => {
  it('have only engine files in pairs, and no store operation', () => {
    const filesOf = (engine: string) => {
      const folder = `shared/state/store/${engine}`;
      return sourceFiles(folder).map(({ path }) => path.slice(folder.length + 1));
    };
    const [sqlite, postgres] = [filesOf('sqlite'), filesOf('postgres')];
    expect(sqlite).to.include('engine.ts');
    expect(postgres).to.include('driver.ts');
    const pairs = sqlite.filter((name) => postgres.includes(name) && !engineFolders.test(name));
    expect(pairs.sort()).to.deep.equal(enginePairs);
  });
});
