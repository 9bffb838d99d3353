// Reads our sources as text for checks: which files exist, and which parts are code, comment or string. Line breaks are
// preserved, so that positions still refer to lines.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));

export interface SourceFile {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** The TypeScript files under a folder of the repository. */
export function sourceFiles(folder: string, root: string = repositoryRoot): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

/** The text with comments replaced by spaces and, unless kept, the contents of strings too. */
export function codeOf(text: string, { keepStrings }: { readonly keepStrings: boolean }): string {
  let result = '';
  let position = 0;
  const blank = (piece: string) => piece.replaceAll(/[^\n]/g, ' ');
  while (position < text.length) {
    const rest = text.slice(position, position + 2);
    const character = text.charAt(position);
    let end = position + 1;
    let keep = true;
    if (rest === '//') {
      end = indexOrEnd(text, '\n', position);
      keep = false;
    } else if (rest === '/*') {
      end = indexOrEnd(text, '*/', position + 2) + 2;
      keep = false;
    } else if (character === "'" || character === '"') {
      end = endOfQuoted(text, position, character);
      keep = keepStrings;
    } else if (character === '/' && startsRegex(result)) {
      end = endOfRegex(text, position);
      keep = keepStrings;
    }
    const piece = text.slice(position, end);
    result += keep ? piece : blank(piece);
    position = end;
  }
  return result;
}

function indexOrEnd(text: string, searched: string, from: number): number {
  const index = text.indexOf(searched, from);
  return index < 0 ? text.length : index;
}

function endOfQuoted(text: string, start: number, quote: string): number {
  let position = start + 1;
  while (position < text.length && text.charAt(position) !== quote && text.charAt(position) !== '\n') {
    position += text.charAt(position) === '\\' ? 2 : 1;
  }
  return position + 1;
}

/** A slash after an operator, a bracket or a keyword starts a regular expression. After a value it divides. */
function startsRegex(before: string): boolean {
  return /(?:^|[(,=:[!&|?{};>+\n]|\b(?:return|case|typeof))\s*$/.test(before);
}

function endOfRegex(text: string, start: number): number {
  let position = start + 1;
  let inClass = false;
  while (position < text.length && text.charAt(position) !== '\n') {
    const character = text.charAt(position);
    if (character === '/' && !inClass) return position + 1;
    if (character === '[') inClass = true;
    if (character === ']') inClass = false;
    position += character === '\\' ? 2 : 1;
  }
  return start + 1;
}
