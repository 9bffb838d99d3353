// Measures the sentences and paragraphs of a Markdown file.

export interface Figures {
  readonly sentences: number;
  /** Words in a sentence: the mean, and the number that 90 % of the sentences stay within. */
  readonly mean: number;
  readonly p90: number;
  /** Words in a paragraph, on average. */
  readonly paragraph: number;
  /** Shares of sentences: with a semicolon, and with a semicolon or three commas. */
  readonly semicolons: number;
  readonly nested: number;
}

/** What is removed before sentences are counted, in this order, and what replaces it. */
const withoutMarkup: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^---\n[\s\S]*?\n---\n/, ''], // front matter
  [/^([ \t]*)(`{3,}|~{3,})[\s\S]*?^[ \t]*\2.*$/gm, ''], // code blocks
  [/<!--[\s\S]*?-->/g, ''],
  [/(`+)[\s\S]*?\1/g, 'X'], // inline code counts as one word
  [/<https?:[^>]*>/g, 'X'],
  [/<[^>]+>/g, ''], // HTML
  [/^[ \t]*\|.*$/gm, ''], // tables
  [/^#.*$/gm, ''], // headings
  [/^\[[^\]]+\]:.*$/gm, ''], // definitions of links
  [/!\[[^\]]*\]\([^)]*\)/g, ''], // images
  [/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1'], // links
  [/^[ \t]*(?:[-*+]|\d+\.)[ \t]+/gm, ''], // list items
  [/^[ \t]*>[ \t]?/gm, ''], // quotations
];

const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** Paragraphs of at least four words, each in one line. Shorter ones are labels. */
export function paragraphsOf(markdown: string): readonly string[] {
  const prose = withoutMarkup.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), markdown);
  return prose
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim())
    .filter((paragraph) => wordsOf(paragraph).length >= 4);
}

/** A sentence ends before a capital letter. */
export function sentencesOf(paragraph: string): readonly string[] {
  const sentences = paragraph.split(/(?<=[.!?:][)"*_]{0,2}) (?=["(*_]{0,2}\p{Lu})/u);
  return sentences.filter((sentence) => wordsOf(sentence).length >= 3);
}

/** undefined: the text has no sentence. */
export function measure(markdown: string): Figures | undefined {
  const paragraphs = paragraphsOf(markdown);
  const sentences = paragraphs.flatMap(sentencesOf);
  if (sentences.length === 0) return undefined;
  const lengths = sentences.map((sentence) => wordsOf(sentence).length).sort((one, other) => one - other);
  const share = (is: (sentence: string) => boolean) => sentences.filter(is).length / sentences.length;
  const hasSemicolon = (sentence: string) => sentence.includes(';');
  return {
    sentences: sentences.length,
    mean: meanOf(lengths),
    p90: lengths[Math.floor(0.9 * lengths.length)] ?? 0,
    paragraph: meanOf(paragraphs.map((paragraph) => wordsOf(paragraph).length)),
    semicolons: share(hasSemicolon),
    nested: share((sentence) => hasSemicolon(sentence) || sentence.split(',').length > 3),
  };
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
