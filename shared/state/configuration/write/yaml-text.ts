// A YAML text that is changed in place: each edit replaces only the bytes that it changes, so that comments, order,
// quoting and placeholders of everything else stay (WRT-10). Edits are found by path. It does not depend on any key of
// the configuration. Parts that cannot be edited in place (an alias, a key of several lines) are replaced as a whole.
import { type Document, isCollection, isMap, isScalar, isSeq, type Node } from 'yaml';
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import { keyText } from '../load/document-paths.ts';
import { configurationFileBytesMax } from '../load/read-files.ts';
import { type Quoting, renderInline, renderItem, renderKey, renderPair } from './render-yaml.ts';
import { type Collection, YamlPlaces } from './yaml-places.ts';

/** One step of several may exceed the limit of a file. A text beyond this limit is not even parsed. */
const charactersMax = 4 * configurationFileBytesMax;

/** An edit would make a text that is too large to be parsed. */
export class TextTooLargeError extends Error {
  constructor(readonly bytes: number) {
    super('The text is too large.');
  }
}

export class YamlText {
  readonly #original: string;
  /** The positions in the current text, computed again after each edit. */
  #places: YamlPlaces;

  constructor(text: string) {
    this.#original = text;
    this.#places = new YamlPlaces(text);
  }

  get text(): string {
    return this.#places.text;
  }

  get edited(): boolean {
    return this.text !== this.#original;
  }

  get document(): Document.Parsed {
    return this.#places.document;
  }

  /** The node at a path; undefined if the path contains an alias, which is not followed. */
  nodeAt(path: KeyPath): Node | undefined {
    return this.#places.nodeAt(path);
  }

  /** Whether the key exists, even without a value. */
  has(path: KeyPath): boolean {
    return this.#places.has(path);
  }

  /** Replaces the value of an existing key or item in its position. */
  replaceValue(path: KeyPath, value: unknown): void {
    const node = this.nodeAt(path);
    const range = node?.range;
    if (node === undefined || range === null || range === undefined || range[0] === range[1]) {
      this.#giveValue(path, value);
      return;
    }
    const [start] = range;
    const end = this.#places.contentEnd(node);
    const closing = this.text.slice(start, end).endsWith('\n') ? this.#places.layout.eol : '';
    this.#splice(start, end, renderInline(value, quotingOf(node)) + closing);
  }

  /** Adds a key at the end of the mapping at `path`, which must exist; it may be empty or a key without value. */
  insertKey(path: KeyPath, key: string, value: unknown): void {
    const node = this.nodeAt(path);
    const layout = this.#places.layout;
    if (path.length === 0 && !isCollection(node)) {
      this.#insertLines(this.text.length, renderPair(key, value, 0, layout));
    } else if (isMap(node) && node.items.length > 0 && node.flow !== true) {
      const indent = this.#places.column(this.#places.pairStart(node.items[0]));
      const last = node.items.at(-1);
      this.#insertLines(
        this.#places.entryEnd(this.#places.pairEnd(last), indent),
        renderPair(key, value, indent, layout),
      );
    } else if (isMap(node) && !this.#opensToBlock(path, node)) {
      this.#insertIntoFlow(node, node.items.length, `${renderKey(key)}: ${renderInline(value)}`);
    } else {
      this.#openBlock(path, (indent) => renderPair(key, value, indent, layout));
    }
  }

  /** Inserts an item before the one at `index`; `index` may be the number of items. */
  insertItem(path: KeyPath, index: number, value: unknown): void {
    const node = this.nodeAt(path);
    const layout = this.#places.layout;
    if (isSeq(node) && node.items.length > 0 && node.flow !== true) {
      const dashes = this.#places.dashes(node);
      const indent = this.#places.column(dashes[0] ?? 0);
      const before =
        index === 0
          ? this.#places.lineStart(dashes[0] ?? 0)
          : this.#places.entryEnd(this.#places.itemEnd(node, index - 1), indent);
      this.#insertLines(before, renderItem(value, indent, layout));
    } else if (isSeq(node) && !this.#opensToBlock(path, node)) {
      this.#insertIntoFlow(node, index, renderInline(value));
    } else {
      this.#openBlock(path, (indent) => renderItem(value, indent, layout));
    }
  }

  /** Removes a key or item. Removing the last one leaves an empty collection. */
  remove(path: KeyPath): void {
    const container = this.nodeAt(path.slice(0, -1));
    const last = path.at(-1);
    if (isMap(container)) {
      const index = container.items.findIndex((pair) => keyText(pair.key) === String(last));
      if (index !== -1) this.#removeEntry(path.slice(0, -1), container, index);
    } else if (isSeq(container) && typeof last === 'number' && last < container.items.length) {
      this.#removeEntry(path.slice(0, -1), container, last);
    }
  }

  #removeEntry(path: KeyPath, container: Collection, index: number): void {
    if (container.flow === true) {
      this.#removeFromFlow(container, index);
      return;
    }
    const start = this.#places.entryStart(container, index);
    const lineStart = this.#places.lineStart(start);
    const besideDash = this.text.slice(lineStart, start).trim() !== '';
    const end = this.#places.entryEnd(this.#places.endOf(container, index), this.#places.column(start));
    if (container.items.length === 1) {
      this.#removeLast(path, container, { start, lineStart, besideDash, end });
    } else if (!besideDash) {
      this.#splice(lineStart, end, '');
    } else {
      // The first key of a mapping that begins on the line of a dash: the next key moves up, unless comments are
      // between.
      const next = this.#places.entryStart(container, index + 1);
      const comments = this.text.slice(end, next).trim() !== '';
      this.#splice(start, comments ? end - this.#places.layout.eol.length : next, '');
    }
  }

  #removeLast(
    path: KeyPath,
    container: Collection,
    at: { readonly start: number; readonly lineStart: number; readonly besideDash: boolean; readonly end: number },
  ): void {
    const empty = isMap(container) ? '{}' : '[]';
    if (path.length === 0) {
      this.#splice(at.lineStart, at.end, isMap(container) ? '' : `[]${this.#places.layout.eol}`);
    } else if (at.besideDash) {
      this.#splice(at.start, this.#places.endOf(container, 0), empty);
    } else {
      const after = this.#places.afterIndicator(path, container.range?.[0] ?? at.start);
      this.#splice(at.lineStart, at.end, '', { at: after, text: ` ${empty}` });
    }
  }

  #removeFromFlow(container: Collection, index: number): void {
    const start = this.#places.entryStart(container, index);
    const end = this.#places.endOf(container, index);
    if (index + 1 < container.items.length) {
      this.#splice(start, this.#places.entryStart(container, index + 1), '');
    } else {
      const from = index === 0 ? start : this.#places.endOf(container, index - 1);
      // The only entry is removed with its trailing comma.
      this.#splice(from, index === 0 ? (this.#places.commaAfter(container, end) ?? end) : end, '');
    }
  }

  #insertIntoFlow(container: Collection, index: number, text: string): void {
    const [start = 0] = container.range ?? [];
    if (container.items.length === 0) this.#splice(start + 1, start + 1, text);
    else if (index === 0) {
      const first = this.#places.entryStart(container, 0);
      this.#splice(first, first, `${text}, `);
    } else {
      const before = this.#places.endOf(container, index - 1);
      this.#splice(before, before, `, ${text}`);
    }
  }

  /** An empty collection or missing value below a block key becomes separate lines. */
  #openBlock(path: KeyPath, render: (indent: number) => string): void {
    const parent = this.#places.parentPair(path);
    const node = this.nodeAt(path);
    if (parent === undefined) {
      this.#insertLines(this.text.length, render(0));
      return;
    }
    const indent = this.#places.column(this.#places.pairStart(parent)) + this.#places.layout.step;
    const [start, end] = node?.range ?? [0, 0];
    const keyEnd = isScalar(parent.key) ? (parent.key.range?.[1] ?? 0) : 0;
    const lines = this.#places.lineEnd(Math.max(keyEnd, end));
    // The space before a removed `{}` is removed, too.
    const from = end > start && this.text[start - 1] === ' ' ? start - 1 : start;
    this.#splice(from, end, '', { at: lines, text: this.#ownLines(lines, render(indent)) });
  }

  #opensToBlock(path: KeyPath, node: Collection): boolean {
    const [start = 0, end = 0] = node.range ?? [];
    const bare = /^(\{\s*\}|\[\s*\])$/.test(this.text.slice(start, end)) && !this.text.slice(start, end).includes('\n');
    if (!bare || node.items.length > 0) return false;
    const parent = path.length === 0 ? undefined : this.nodeAt(path.slice(0, -1));
    return isMap(parent) && parent.flow !== true;
  }

  /** Gives a value to a key or item without one: beside its colon or dash. */
  #giveValue(path: KeyPath, value: unknown): void {
    const fallback = this.nodeAt(path)?.range?.[0] ?? this.text.length;
    const after = this.#places.afterIndicator(path, fallback);
    this.#splice(after, after, ` ${renderInline(value)}`);
  }

  #insertLines(at: number, lines: string): void {
    this.#splice(at, at, this.#ownLines(at, lines));
  }

  #ownLines(at: number, lines: string): string {
    const needsBreak = at > 0 && this.text[at - 1] !== '\n' && this.text.slice(0, at) !== '\uFEFF';
    return needsBreak ? this.#places.layout.eol + lines : lines;
  }

  /** One edit, and one insertion elsewhere in the same step. */
  #splice(start: number, end: number, text: string, also?: { readonly at: number; readonly text: string }): void {
    const edits = [{ start, end, text }];
    if (also !== undefined) edits.push({ start: also.at, end: also.at, text: also.text });
    edits.sort((one, other) => other.start - one.start || other.end - one.end);
    const edited = edits.reduce(
      (before, edit) => before.slice(0, edit.start) + edit.text + before.slice(edit.end),
      this.text,
    );
    if (edited.length > charactersMax) throw new TextTooLargeError(Buffer.byteLength(edited));
    this.#places = new YamlPlaces(edited);
  }
}

function quotingOf(node: Node): Quoting {
  if (!isScalar(node)) return 'plain';
  if (node.type === 'QUOTE_SINGLE') return 'single';
  return node.type === 'QUOTE_DOUBLE' ? 'double' : 'plain';
}
