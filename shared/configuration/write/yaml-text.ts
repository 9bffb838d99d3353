// A YAML text that is changed in place: each edit replaces exactly the bytes of what it changes, so that comments,
// order, quoting and placeholders of everything else survive (WRT-10). Edits are found by path; it knows no key of the
// configuration. What cannot be edited in place (an alias, a key of several lines) is replaced as a whole.
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { KeyPath } from '../finding.ts';
import { keyText } from '../load/yaml-source.ts';
import { type Layout, type Quoting, renderInline, renderItem, renderKey, renderPair } from './render-yaml.ts';

type Collection = YAMLMap | YAMLSeq;

export class YamlText {
  #text: string;
  #document: Document.Parsed;
  readonly #original: string;

  constructor(text: string) {
    this.#original = text;
    this.#text = text;
    this.#document = parse(text);
  }

  get text(): string {
    return this.#text;
  }

  get edited(): boolean {
    return this.#text !== this.#original;
  }

  get document(): Document.Parsed {
    return this.#document;
  }

  /** The node at a path. Aliases on the way are not followed: then there is none. */
  nodeAt(path: KeyPath): Node | undefined {
    let node: unknown = this.#document.contents;
    for (const part of path) {
      if (isMap(node)) node = pairOf(node, String(part))?.value;
      else if (isSeq(node) && typeof part === 'number') node = node.items[part];
      else return undefined;
    }
    return isNode(node) ? node : undefined;
  }

  /** Whether the key is there, also when it has no value. */
  has(path: KeyPath): boolean {
    const container = this.nodeAt(path.slice(0, -1));
    const last = path.at(-1);
    if (last === undefined) return true;
    if (isMap(container)) return pairOf(container, String(last)) !== undefined;
    return isSeq(container) && typeof last === 'number' && last < container.items.length;
  }

  /** Replaces the value of a key or item that is there, in its place. */
  replaceValue(path: KeyPath, value: unknown): void {
    const node = this.nodeAt(path);
    const range = node?.range;
    if (node === undefined || range === null || range === undefined || range[0] === range[1]) {
      this.#giveValue(path, value);
      return;
    }
    const [start] = range;
    const end = this.#contentEnd(node);
    const closing = this.#text.slice(start, end).endsWith('\n') ? this.#layout().eol : '';
    this.#splice(start, end, renderInline(value, quotingOf(node)) + closing);
  }

  /** Adds a key at the end of the mapping at `path`, which is there, empty or a key without value. */
  insertKey(path: KeyPath, key: string, value: unknown): void {
    const node = this.nodeAt(path);
    const layout = this.#layout();
    if (path.length === 0 && !isCollection(node)) {
      this.#insertLines(this.#text.length, renderPair(key, value, 0, layout));
    } else if (isMap(node) && node.items.length > 0 && node.flow !== true) {
      const indent = this.#column(this.#pairStart(node.items[0]));
      const last = node.items.at(-1);
      this.#insertLines(this.#entryEnd(this.#pairEnd(last), indent), renderPair(key, value, indent, layout));
    } else if (isMap(node) && !this.#opensToBlock(path, node)) {
      this.#insertIntoFlow(node, node.items.length, `${renderKey(key)}: ${renderInline(value)}`);
    } else {
      this.#openBlock(path, (indent) => renderPair(key, value, indent, layout));
    }
  }

  /** Puts an item before the one at `index`; `index` may be the number of items. */
  insertItem(path: KeyPath, index: number, value: unknown): void {
    const node = this.nodeAt(path);
    const layout = this.#layout();
    if (isSeq(node) && node.items.length > 0 && node.flow !== true) {
      const dashes = this.#dashes(node);
      const indent = this.#column(dashes[0] ?? 0);
      const before =
        index === 0 ? this.#lineStart(dashes[0] ?? 0) : this.#entryEnd(this.#itemEnd(node, index - 1), indent);
      this.#insertLines(before, renderItem(value, indent, layout));
    } else if (isSeq(node) && !this.#opensToBlock(path, node)) {
      this.#insertIntoFlow(node, index, renderInline(value));
    } else {
      this.#openBlock(path, (indent) => renderItem(value, indent, layout));
    }
  }

  /** Takes a key or item away; the last one leaves an empty collection behind. */
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
    const start = this.#entryStart(container, index);
    const lineStart = this.#lineStart(start);
    const besideDash = this.#text.slice(lineStart, start).trim() !== '';
    const end = this.#entryEnd(this.#endOf(container, index), this.#column(start));
    if (container.items.length === 1) {
      this.#removeLast(path, container, { start, lineStart, besideDash, end });
    } else if (!besideDash) {
      this.#splice(lineStart, end, '');
    } else {
      // The first key of a mapping that begins beside a dash: the next key moves up, unless comments stand between.
      const next = this.#entryStart(container, index + 1);
      const comments = this.#text.slice(end, next).trim() !== '';
      this.#splice(start, comments ? end - this.#layout().eol.length : next, '');
    }
  }

  #removeLast(
    path: KeyPath,
    container: Collection,
    at: { readonly start: number; readonly lineStart: number; readonly besideDash: boolean; readonly end: number },
  ): void {
    const empty = isMap(container) ? '{}' : '[]';
    if (path.length === 0) {
      this.#splice(at.lineStart, at.end, isMap(container) ? '' : `[]${this.#layout().eol}`);
    } else if (at.besideDash) {
      this.#splice(at.start, this.#endOf(container, 0), empty);
    } else {
      const after = this.#afterIndicator(path, container.range?.[0] ?? at.start);
      this.#splice(at.lineStart, at.end, '', { at: after, text: ` ${empty}` });
    }
  }

  #removeFromFlow(container: Collection, index: number): void {
    const start = this.#entryStart(container, index);
    const end = this.#endOf(container, index);
    if (index + 1 < container.items.length) {
      this.#splice(start, this.#entryStart(container, index + 1), '');
    } else {
      const from = index === 0 ? start : this.#endOf(container, index - 1);
      // With the only entry its trailing comma goes, too.
      this.#splice(from, index === 0 ? (this.#commaAfter(container, end) ?? end) : end, '');
    }
  }

  #insertIntoFlow(container: Collection, index: number, text: string): void {
    const [start = 0] = container.range ?? [];
    if (container.items.length === 0) this.#splice(start + 1, start + 1, text);
    else if (index === 0) {
      const first = this.#entryStart(container, 0);
      this.#splice(first, first, `${text}, `);
    } else {
      const before = this.#endOf(container, index - 1);
      this.#splice(before, before, `, ${text}`);
    }
  }

  /** An empty collection or missing value below a block key becomes lines of its own. */
  #openBlock(path: KeyPath, render: (indent: number) => string): void {
    const parent = this.#parentPair(path);
    const node = this.nodeAt(path);
    if (parent === undefined) {
      this.#insertLines(this.#text.length, render(0));
      return;
    }
    const indent = this.#column(this.#pairStart(parent)) + this.#layout().step;
    const [start, end] = node?.range ?? [0, 0];
    const keyEnd = isScalar(parent.key) ? (parent.key.range?.[1] ?? 0) : 0;
    const lines = this.#lineEnd(Math.max(keyEnd, end));
    // The space before a removed `{}` goes with it.
    const from = end > start && this.#text[start - 1] === ' ' ? start - 1 : start;
    this.#splice(from, end, '', { at: lines, text: this.#ownLines(lines, render(indent)) });
  }

  #opensToBlock(path: KeyPath, node: Collection): boolean {
    const [start = 0, end = 0] = node.range ?? [];
    const bare =
      /^(\{\s*\}|\[\s*\])$/.test(this.#text.slice(start, end)) && !this.#text.slice(start, end).includes('\n');
    if (!bare || node.items.length > 0) return false;
    const parent = path.length === 0 ? undefined : this.nodeAt(path.slice(0, -1));
    return isMap(parent) && parent.flow !== true;
  }

  /** A key or item without value gets one: beside its colon or dash. */
  #giveValue(path: KeyPath, value: unknown): void {
    const fallback = this.nodeAt(path)?.range?.[0] ?? this.#text.length;
    const after = this.#afterIndicator(path, fallback);
    this.#splice(after, after, ` ${renderInline(value)}`);
  }

  /** The offset behind the colon (or dash) that introduces the value at `path`, and behind its anchor. */
  #afterIndicator(path: KeyPath, fallback: number): number {
    const pair = this.#parentPair(path);
    const token = pair?.srcToken;
    const marks = (token?.sep ?? []).filter(({ type }) => ['map-value-ind', 'anchor', 'tag'].includes(type));
    const mark = marks.at(-1);
    if (mark !== undefined) return mark.offset + mark.source.length;
    const container = this.nodeAt(path.slice(0, -1));
    const index = path.at(-1);
    if (isSeq(container) && typeof index === 'number') return (this.#dashes(container)[index] ?? fallback) + 1;
    return fallback;
  }

  #parentPair(path: KeyPath): Pair | undefined {
    const container = path.length === 0 ? undefined : this.nodeAt(path.slice(0, -1));
    return isMap(container) ? pairOf(container, String(path.at(-1))) : undefined;
  }

  #entryStart(container: Collection, index: number): number {
    if (isMap(container)) return this.#pairStart(container.items[index]);
    if (container.flow !== true) return this.#dashes(container)[index] ?? 0;
    const item = container.items[index];
    return isNode(item) ? startOf(item) : 0;
  }

  #endOf(container: Collection, index: number): number {
    return isMap(container) ? this.#pairEnd(container.items[index]) : this.#itemEnd(container, index);
  }

  #pairStart(pair: Pair | undefined): number {
    return isNode(pair?.key) ? startOf(pair.key) : 0;
  }

  #pairEnd(pair: Pair | undefined): number {
    const keyEnd = isNode(pair?.key) ? (pair.key.range?.[1] ?? 0) : 0;
    if (!isNode(pair?.value)) return keyEnd;
    const { value } = pair;
    const empty = value.range?.[0] === value.range?.[1];
    const marks = (pair.srcToken?.sep ?? []).filter(({ type }) => ['map-value-ind', 'anchor', 'tag'].includes(type));
    const mark = marks.at(-1);
    const indicatorEnd = mark === undefined ? keyEnd : mark.offset + mark.source.length;
    return empty ? indicatorEnd : this.#contentEnd(value);
  }

  #itemEnd(container: YAMLSeq, index: number): number {
    const item = container.items[index];
    const dash = container.flow === true ? 0 : (this.#dashes(container)[index] ?? 0) + 1;
    return isNode(item) ? Math.max(dash, this.#contentEnd(item)) : dash;
  }

  /** Where the last character of a node's content ends: comments and line ends behind it do not count. */
  #contentEnd(node: Node): number {
    if (isCollection(node) && node.flow !== true && node.items.length > 0) {
      return this.#endOf(isMap(node) ? node : asSeq(node), node.items.length - 1);
    }
    return node.range?.[1] ?? 0;
  }

  /** Behind the line on which an entry ends, and behind comment lines that are indented deeper than the entry. */
  #entryEnd(contentEnd: number, indent: number): number {
    let end = this.#lineEnd(contentEnd);
    for (let look = end; look < this.#text.length; ) {
      const next = this.#lineEnd(look + 1);
      const line = this.#text.slice(look, next);
      const comment = /^([ \t]*)#/.exec(line);
      if (comment !== null && (comment[1] ?? '').length > indent) end = next;
      else if (line.trim() !== '') break;
      look = next;
    }
    return end;
  }

  #dashes(node: YAMLSeq): number[] {
    const token = node.srcToken;
    if (token === undefined || token.type !== 'block-seq') return [];
    return token.items.flatMap((item) =>
      item.start.filter(({ type }) => type === 'seq-item-ind').map(({ offset }) => offset),
    );
  }

  #commaAfter(container: Collection, offset: number): number | undefined {
    const token = container.srcToken;
    if (token === undefined || token.type !== 'flow-collection') return undefined;
    for (const item of token.items) {
      const comma = item.start.find(({ type, offset: at }) => type === 'comma' && at >= offset);
      if (comma !== undefined) return comma.offset + 1;
    }
    return undefined;
  }

  #column(offset: number): number {
    return offset - this.#lineStart(offset);
  }

  #lineStart(offset: number): number {
    const start = this.#text.lastIndexOf('\n', offset - 1) + 1;
    // A byte order mark takes no column.
    return start === 0 && this.#text.startsWith('\uFEFF') && offset > 0 ? 1 : start;
  }

  /** The beginning of the line after the one that `offset` ends on. */
  #lineEnd(offset: number): number {
    if (offset > 0 && this.#text[offset - 1] === '\n') return offset;
    const end = this.#text.indexOf('\n', offset);
    return end === -1 ? this.#text.length : end + 1;
  }

  #insertLines(at: number, lines: string): void {
    this.#splice(at, at, this.#ownLines(at, lines));
  }

  #ownLines(at: number, lines: string): string {
    const needsBreak = at > 0 && this.#text[at - 1] !== '\n' && this.#text.slice(0, at) !== '\uFEFF';
    return needsBreak ? this.#layout().eol + lines : lines;
  }

  /** One edit, and one insertion elsewhere in the same step. */
  #splice(start: number, end: number, text: string, also?: { readonly at: number; readonly text: string }): void {
    const edits = [{ start, end, text }];
    if (also !== undefined) edits.push({ start: also.at, end: also.at, text: also.text });
    edits.sort((one, other) => other.start - one.start || other.end - one.end);
    for (const edit of edits) this.#text = this.#text.slice(0, edit.start) + edit.text + this.#text.slice(edit.end);
    this.#document = parse(this.#text);
  }

  /** Line ends and indentation as the file has them. */
  #layout(): Layout {
    const eol = /\r?\n/.exec(this.#text)?.[0] ?? '\n';
    return { eol, step: this.#step() };
  }

  #step(): number {
    const root = this.#document.contents;
    if (!isMap(root) || root.flow === true) return 2;
    for (const pair of root.items) {
      if (!isMap(pair.value) || pair.value.flow === true || pair.value.items.length === 0) continue;
      const step = this.#column(this.#pairStart(pair.value.items[0])) - this.#column(this.#pairStart(pair));
      if (step > 0) return step;
    }
    return 2;
  }
}

function parse(text: string): Document.Parsed {
  return parseDocument(text, {
    keepSourceTokens: true,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'silent',
    version: '1.2',
    schema: 'core',
  });
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => keyText(pair.key) === key);
}

function isNode(value: unknown): value is Node {
  return isScalar(value) || isCollection(value) || isAlias(value);
}

function asSeq(node: Collection): YAMLSeq {
  if (isSeq(node)) return node;
  throw new TypeError('a sequence was expected');
}

/** With its anchor or tag, which the node's own range leaves out. */
function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

function quotingOf(node: Node): Quoting {
  if (!isScalar(node)) return 'plain';
  if (node.type === 'QUOTE_SINGLE') return 'single';
  return node.type === 'QUOTE_DOUBLE' ? 'double' : 'plain';
}
