// Checks the imports of all sources against the rules (`npm run imports`).
import { expect } from 'chai';
import { importCircles } from '#test/support/import-circles.ts';
import { type Import, importsOf } from '#test/support/imports.ts';
import { codeOf, lineAt, sourceFiles } from '#test/support/source-text.ts';
import { type ImportRule, importRules } from './import-rules.ts';

const files = ['api', 'cli', 'supervisor', 'services', 'shared'].flatMap((folder) => sourceFiles(folder));
const imports = files.flatMap(importsOf);

function violations(rule: ImportRule, all: readonly Import[]): string[] {
  return all
    .filter((imported) => rule.from.test(imported.from) && !rule.allows(imported))
    .map(({ from, line, to }) => `${from}:${line} imports ${to}. Instead: ${rule.instead}`);
}

describe('imports', () => {
  it('were read from real files', () => {
    expect(files.length).to.be.greaterThan(100);
    expect(imports.length).to.be.greaterThan(300);
    expect(imports.map(({ from, to }) => `${from} ${to}`)).to.include.members([
      'cli/start.ts supervisor/main.ts',
      'cli/main.ts cli/start.ts',
      'supervisor/main.ts shared/base/clock.ts',
      'services/oidc/frontend.ts services/oidc/app.ts',
      'shared/base/logger.ts pino',
    ]);
  });

  it('name files that exist', () => {
    const known = new Set(files.map(({ path }) => path));
    const dead = imports.filter(
      ({ to }) => /^(?:api|cli|supervisor|services|shared)\/.*\.tsx?$/.test(to) && !known.has(to),
    );
    expect(dead.map(({ from, line, to }) => `${from}:${line} ${to}`)).to.deep.equal([]);
  });

  for (const rule of importRules) {
    it(rule.name, () => {
      expect(violations(rule, imports)).to.deep.equal([]);
      const [from, to] = rule.forbids;
      expect(violations(rule, [{ from, line: 1, to, typeOnly: false }])).to.have.length(1);
    });
  }

  it('have no cycles (move what two files need of each other to a third)', () => {
    expect(importCircles(imports)).to.deep.equal([]);
    const through = (...steps: string[]) => steps.slice(1).map((to, index) => ({ from: steps[index] ?? '', to }));
    const seen = [...through('d', 'a', 'b', 'c', 'b'), ...through('e', 'e'), ...through('c', 'a')];
    expect(importCircles(seen)).to.deep.equal(['a → b → c → a', 'e → e']);
  });

  it('are found in every form', () => {
    const text = `import { a } from './a.ts';
import type { B } from '#shared/b.ts';
import './c.css';
export { d } from '@scope/d/deep';
// import './comment.ts';
const e = await import('node:fs');
const pattern = /['"]/; export * from 'f';`;
    expect(
      importsOf({ path: 'shared/x/file.ts', text }).map(({ line, to, typeOnly }) => [line, to, typeOnly]),
    ).to.deep.equal([
      [1, 'shared/x/a.ts', false],
      [2, 'shared/b.ts', true],
      [3, 'shared/x/c.css', false],
      [4, '@scope/d', false],
      [6, 'node:fs', false],
      [7, 'f', false],
    ]);
  });
});

/** The machine's time and randomness are each read in one file. All other code gets them as arguments. */
const globalSources: readonly {
  readonly what: string;
  readonly pattern: RegExp;
  readonly owner: string;
  readonly instead: string;
}[] = [
  {
    what: 'the machine’s clocks',
    pattern:
      /\bDate\.now\b|\bnew Date\s*\(\s*\)|\bnew Date\b(?!\s*\()|\bDate\s*\(\s*\)|\bperformance\s*\.\s*now\b|\bhrtime\b/g,
    owner: 'shared/base/clock.ts',
    instead: 'use the Clock or Stopwatch that you get as an argument',
  },
  {
    what: 'random numbers',
    pattern:
      /\bMath\.random\b|\brandomBytes\b|\brandomInt\b|\brandomUUID\b|\brandomFill(?:Sync)?\b|\bgetRandomValues\b/g,
    owner: 'shared/base/random.ts',
    instead: 'use the Randomness that you get as an argument',
  },
];

describe('time and randomness', () => {
  for (const { what, pattern, owner, instead } of globalSources) {
    const uses = files.flatMap(({ path, text }) => {
      const code = codeOf(text, { keepStrings: false });
      return [...code.matchAll(pattern)].map((match) => ({
        path,
        use: `${path}:${lineAt(code, match.index)} ${match[0]}`,
      }));
    });

    it(`${what} are read only in ${owner} (elsewhere: ${instead})`, () => {
      expect(uses.filter(({ path }) => path !== owner).map(({ use }) => use)).to.deep.equal([]);
      expect(uses.filter(({ path }) => path === owner)).to.have.length.above(0);
    });
  }
});
