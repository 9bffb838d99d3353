// The lines of keys in a YAML text, including comments right above a key. Edits of whole lines are collected for one
// text and applied together.
import { isMap, isScalar, type YAMLMap } from 'yaml';
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import { keyText } from '../load/document-paths.ts';
import type { YamlPlaces } from './yaml-places.ts';

/** The lines of one key with its value. */
export interface Lines {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly indent: number;
  /** The comment lines right above the key, which `start` includes. */
  readonly comments: string;
}

export interface Section {
  readonly lines: Lines;
  readonly members: readonly Lines[];
}

/** A section at the top level of a text; `other`: it is not written on lines of its own, key by key. */
export function sectionAt(places: YamlPlaces, name: string): Section | 'other' | undefined {
  const root = places.nodeAt([]);
  if (root !== undefined && !isBlock(root) && !isEmpty(root)) return 'other';
  const lines = linesOf(places, []).find(({ key }) => key === name);
  if (lines === undefined) return undefined;
  const node = places.nodeAt([name]);
  if (node === undefined || isEmpty(node)) return { lines, members: [] };
  return isBlock(node) && node.anchor === undefined ? { lines, members: linesOf(places, [name]) } : 'other';
}

function isBlock(node: unknown): node is YAMLMap {
  return isMap(node) && node.flow !== true && node.items.length > 0;
}

function isEmpty(node: unknown): boolean {
  return (isScalar(node) && node.value === null) || (isMap(node) && node.items.length === 0);
}

/** The keys of the mapping at a path, in order. */
export function linesOf(places: YamlPlaces, path: KeyPath): readonly Lines[] {
  const node = places.nodeAt(path);
  if (!isBlock(node)) return [];
  return node.items.map((pair) => {
    const keyStart = places.pairStart(pair);
    const indent = places.column(keyStart);
    const keyLine = places.lineStart(keyStart);
    const start = startWithComments(places, keyLine, indent);
    const end = places.entryEnd(places.pairEnd(pair), indent);
    return { key: keyText(pair.key) ?? '', start, end, indent, comments: places.text.slice(start, keyLine) };
  });
}

/** Comment lines with the indentation of the key and no blank line between. */
function startWithComments(places: YamlPlaces, keyLine: number, indent: number): number {
  let start = keyLine;
  while (start > 0) {
    const before = places.lineStart(start - 1);
    const line = places.text.slice(before, start);
    if (!line.startsWith(`${' '.repeat(indent)}#`) || before === start) break;
    start = before;
  }
  return start;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export class LineEdits {
  readonly #places: YamlPlaces;
  readonly #edits: Edit[] = [];

  constructor(places: YamlPlaces) {
    this.#places = places;
  }

  remove({ start, end }: Lines): void {
    this.#edits.push({ start, end, text: '' });
  }

  /**
   * Replaces by lines of another text, where the key is indented by `indent`. Comments that only this text has stay
   * above.
   */
  replace(lines: Lines, text: string, comments: string, indent = 0): void {
    const stays = comments === '' ? lines.start + lines.comments.length : lines.start;
    this.#edits.push({ start: stays, end: lines.end, text: reindented(text, indent, lines.indent) });
  }

  /**
   * Inserts at the position that it has among its neighbours in the other text: after the nearest one before it, else
   * before the nearest one after it.
   */
  insert(text: string, lines: Lines, here: readonly Lines[], there: readonly Lines[]): void {
    const index = there.findIndex(({ key }) => key === lines.key);
    const present = (keys: readonly Lines[]) => keys.flatMap(({ key }) => here.filter((each) => each.key === key))[0];
    const before = present(there.slice(0, index).reverse());
    const after = present(there.slice(index + 1));
    const indent = here[0]?.indent ?? 0;
    const comments = reindented(lines.comments, lines.indent, indent);
    const moved = reindented(text, lines.indent, indent);
    const last = here.at(-1);
    if (before !== undefined) this.#insertAt(before.end, moved);
    else if (after === undefined) this.#insertAt(last?.end ?? this.#places.text.length, moved);
    // A header at the top of both files is written once.
    else if (comments !== '' && after.comments === comments) {
      this.#insertAt(after.start + comments.length, moved.slice(comments.length));
    } else this.#insertAt(after.start, moved);
  }

  #insertAt(at: number, text: string): void {
    this.#edits.push({ start: at, end: at, text });
  }

  applied(): string {
    const { text, layout } = this.#places;
    const numbered = this.#edits.map((edit, order) => ({ ...edit, order }));
    // From the end to the beginning. Of insertions at one position the later one is applied first, so that it is last
    // in the text.
    numbered.sort((one, other) => other.start - one.start || other.end - one.end || other.order - one.order);
    return numbered.reduce((before, { start, end, text: added }) => {
      const head = before.slice(0, start);
      const lines = added.replaceAll(/\r?\n/g, layout.eol);
      const needsBreak = lines !== '' && head !== '' && head !== '\uFEFF' && !head.endsWith('\n');
      const closes = lines === '' || lines.endsWith('\n') || end >= before.length;
      return `${head}${needsBreak ? layout.eol : ''}${lines}${closes ? '' : layout.eol}${before.slice(end)}`;
    }, text);
  }
}

function reindented(text: string, from: number, to: number): string {
  if (from === to) return text;
  return text.replaceAll(/^( *)(?=\S)/gm, (spaces) => ' '.repeat(Math.max(0, spaces.length - from + to)));
}
