// How the project writes: figures of its documentation, and words that documentation, comments and texts of the product
// do not use (CONTRIBUTING.md, "How we write").
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { repositoryRoot, sourceFiles } from '#test/support/source-text.ts';
import { type Figures, measure, paragraphsOf } from './prose/markdown.ts';
import { textsOfCode } from './prose/texts-of-code.ts';
import { allowed, wordsToAvoid } from './prose/words-to-avoid.ts';

/** For all documentation together. */
const limits: Omit<Figures, 'sentences'> = { mean: 15, p90: 25, paragraph: 40, semicolons: 0.05, nested: 0.08 };
/** For one file. It has few sentences, so its figures may be further from the mean. */
const limitsOfFile: typeof limits = { mean: 18, p90: 30, paragraph: 60, semicolons: 0.1, nested: 0.16 };
const fewSentences = 12;

const documents = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(repositoryRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
].map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }));

const sources = ['shared', 'services', 'supervisor', 'cli', 'api', 'build', 'bench'].flatMap((folder) =>
  sourceFiles(folder).filter(({ path }) => !path.endsWith('.d.ts')),
);

function exceeded(figures: Figures, most: typeof limits): readonly string[] {
  return Object.entries(most).flatMap(([name, bound]) => {
    const figure = figures[name as keyof typeof limits];
    return figure > bound ? [`${name} ${figure.toFixed(2)} > ${bound}`] : [];
  });
}

function found(path: string, texts: readonly string[]): readonly string[] {
  const exceptions = allowed.filter((each) => each.in === path).map(({ text }) => text);
  return texts.flatMap((text) => {
    const rest = exceptions.reduce((shorter, exception) => shorter.replace(exception, ''), text);
    return wordsToAvoid.flatMap(({ words, write }) =>
      [...rest.matchAll(words)].map(
        ({ 0: word, index }) => `${path}: "…${rest.slice(Math.max(0, index - 40), index + 40)}…" (${word} → ${write})`,
      ),
    );
  });
}

describe('the documentation', () => {
  for (const { path, text } of documents) {
    it(`has short sentences and paragraphs in ${path}`, () => {
      const figures = measure(text);
      if (figures !== undefined && figures.sentences >= fewSentences) {
        expect(exceeded(figures, limitsOfFile)).to.deep.equal([]);
      }
    });
  }

  it('has short sentences and paragraphs on the whole', () => {
    const figures = measure(documents.map(({ text }) => text).join('\n\n'));
    expect(figures && exceeded(figures, limits)).to.deep.equal([]);
  });

  it('has no words that leave open who acts or what is meant', () => {
    expect(documents.flatMap(({ path, text }) => found(path, paragraphsOf(text)))).to.deep.equal([]);
  });
});

describe('comments and texts of the product', () => {
  it('have no words that leave open who acts or what is meant', () => {
    const hits = sources.flatMap(({ path, text }) => {
      const { comments, texts } = textsOfCode(text, path.endsWith('x'));
      return found(path, [...comments, ...texts]);
    });
    expect(hits).to.deep.equal([]);
  });
});

describe('what measures prose', () => {
  it('counts sentences without code, tables and headings', () => {
    const markdown =
      '# A heading\n\nOne two three. Four `five six`; seven, a, b, c.\n\n```\nnot this one\n```\n\n| a | b | c | d |\n';
    expect(measure(markdown)).to.deep.equal({
      sentences: 2,
      mean: 4.5,
      p90: 6,
      paragraph: 9,
      semicolons: 0.5,
      nested: 0.5,
    });
  });

  it('finds comments, strings, templates and text between tags', () => {
    const source =
      "// One comment\n// of two lines\nconst x = /'/; const y = 'a text of it'; /** Another. */ f(`with some ${y} in it`); <p>and this paragraph</p>";
    expect(textsOfCode(source, true)).to.deep.equal({
      comments: ['One comment of two lines', 'Another.'],
      texts: ['a text of it', 'with some X in it', 'and this paragraph'],
    });
  });

  it('notices a word to avoid, and allows it only where a reason is given', () => {
    expect(found('a.ts', ['it is told to nobody'])).to.have.length(2);
    for (const { in: path, text } of allowed) {
      expect(readFileSync(join(repositoryRoot, path), 'utf8'), path).to.include(text);
    }
  });
});
