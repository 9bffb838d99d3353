// Limits of a text before it is parsed: its nesting depth and its number of tokens. The check itself is cheap: one walk
// over the text, and the lexer's for texts of some size.
import { Lexer } from 'yaml';

export const depthMax = 64;
/** Tokens are words, marks, spaces and line ends: some 10 000 users have half as many. */
const tokensMax = 500_000;
const columnsMax = 160;
/** Characters that the lexer emits between tokens and that are not in the text. */
const lexerMarks = '\u0002\u0018\u001f';
const tooDeep = 'is nested too deeply';

/**
 * Where a text exceeds what a configuration needs, checked before the parser runs. The parser recurses, and V8 may
 * abort the process when its stack is exhausted: every level in block style takes a column, every one in flow style a
 * bracket. The parser also uses half a kilobyte for each token, and a text may have as many tokens as characters.
 */
export function excessOf(text: string): { readonly offset: number; readonly message: string } | undefined {
  const indented = startBeyondColumn(text, columnsMax);
  if (indented !== undefined) return { offset: indented, message: tooDeep };
  let brackets = 0;
  for (const character of text) if (character === '[' || character === '{') brackets += 1;
  if (brackets <= depthMax && text.length <= tokensMax) return undefined;
  let depth = 0;
  let offset = 0;
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > tokensMax) return { offset, message: `is too long: it has more than ${tokensMax} tokens` };
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > depthMax) return { offset, message: tooDeep };
    if (!lexerMarks.includes(token)) offset += token.length;
  }
  return undefined;
}

/** The first line whose content begins only behind that many columns of spaces, dashes and question marks. */
function startBeyondColumn(text: string, columns: number): number | undefined {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (end - start > columns && /^ *(?:[-?] +)*[-?]?$/.test(text.slice(start, start + columns))) {
      // Blanks at the end of a line do not nest.
      if (text.slice(start, end).trim() !== '') return start;
    }
    start = end + 1;
  }
  return undefined;
}
