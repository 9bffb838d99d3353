// Everything that comments cite exists in this repository: clauses in test/requirements, decisions in docs/decisions.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { codeOf, lineAt, repositoryRoot, type SourceFile, sourceFiles } from '#test/support/source-text.ts';

const decisionsDocument = 'docs/decisions/contract-decisions.md';
const rowsOf = (text: string, row: RegExp) => [...text.matchAll(row)].map(([, id = '']) => id);
const decisions = rowsOf(readFileSync(join(repositoryRoot, decisionsDocument), 'utf8'), /^\| (D\d+) /gm);
const clauses = sourceFiles('test/requirements').flatMap(({ text }) => rowsOf(text, /\bid: '([A-Z]{3}-K?\d{2,3})'/g));

/**
 * Only sections that have rows: `SHA-256` and `UTF-16` look like citations, and a new section may get its rows later.
 */
const sections = [...new Set(clauses.map((id) => id.slice(0, 3)))].join('|');
const citation = new RegExp(`(?<![\\w%{])(?:D[1-9]\\d?|(?:${sections})-K?\\d{2,3})\\b`, 'g');

function unknownCitations(text: string, path: string): string[] {
  const known = new Set([...decisions, ...clauses]);
  return [...text.matchAll(citation)]
    .filter(([id]) => !known.has(id))
    .map(({ 0: id, index }) => `${path}:${lineAt(text, index)} ${id}`);
}

/** Only the comments, at their positions. */
function commentsOf({ text }: SourceFile): string {
  const code = codeOf(text, { keepStrings: true });
  return text
    .split('')
    .map((character, at) => (character !== '\n' && code[at] === character ? ' ' : character))
    .join('');
}

describe('citations', () => {
  it('were read from real files', () => {
    expect(decisions.length).to.be.greaterThan(40);
    expect(new Set(decisions).size).to.equal(decisions.length);
    expect(clauses.length).to.be.greaterThan(500);
    expect(unknownCitations('as TOK-999 and D99 say,\nnot TOK-12', 'a.ts')).to.deep.equal([
      'a.ts:1 TOK-999',
      'a.ts:1 D99',
    ]);
  });

  for (const folder of [
    'cli',
    'supervisor',
    'services',
    'shared',
    'test/endpoints',
    'test/processes',
    'test/unit/shared',
    'test/unit/services',
  ]) {
    it(`in the comments of ${folder} refer to text in this repository`, () => {
      const unknown = sourceFiles(folder).flatMap((file) => unknownCitations(commentsOf(file), file.path));
      expect(unknown).to.deep.equal([]);
    });
  }

  it('in the documents refer to text in this repository', () => {
    const documents = readdirSync(join(repositoryRoot, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`);
    const unknown = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...documents].flatMap((path) =>
      unknownCitations(readFileSync(join(repositoryRoot, path), 'utf8'), path),
    );
    expect(unknown).to.deep.equal([]);
  });
});
