// The blocks of a guide under docs/guides: what a reader saves (`file=…`), runs (`sh`) or installs (`shell`).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from './source-text.ts';

interface Block {
  readonly language: string;
  /** The file name in which the guide's reader saves it. */
  readonly file: string | undefined;
  readonly text: string;
}

export function blocksOf(guide: string): Block[] {
  const text = readFileSync(join(repositoryRoot, 'docs/guides', guide), 'utf8');
  return [...text.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gms)].map(([, language = '', rest = '', body = '']) => ({
    language,
    file: /file=(\S+)/.exec(rest)?.[1],
    text: body,
  }));
}

/** Writes the files of the guide, and returns its commands. */
export function followGuide(guide: string, directory: string): string {
  const blocks = blocksOf(guide);
  for (const { file, text } of blocks) {
    if (file === undefined) continue;
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  return blocks
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text)
    .join('');
}
