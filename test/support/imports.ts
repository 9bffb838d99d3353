// Which file imports what, read from the sources: static imports, re-exports and dynamic imports. Type imports count too,
// because they are dependencies.
import { posix } from 'node:path';
import { codeOf, lineAt, type SourceFile } from './source-text.ts';

export interface Import {
  /** The importing file, relative to the repository. */
  readonly from: string;
  readonly line: number;
  /** A file of the repository, `node:<module>`, or the name of a package. */
  readonly to: string;
  /** Nothing of it is loaded at run time. */
  readonly typeOnly: boolean;
}

const importForms =
  /\b(?:import|export)\s+(type\s)?[^'";]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]|\bimport\s*['"]([^'"]+)['"]/g;

export function importsOf({ path, text }: SourceFile): Import[] {
  const code = codeOf(text, { keepStrings: true });
  return [...code.matchAll(importForms)].map((match) => {
    const [, type, from, dynamic, bare] = match;
    const specifier = from ?? dynamic ?? bare ?? '';
    return { from: path, line: lineAt(code, match.index), to: targetOf(path, specifier), typeOnly: type !== undefined };
  });
}

function targetOf(path: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  if (specifier.startsWith('node:')) return specifier;
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}
