// Positions in a YAML text: the nodes by path, and for each entry the offsets of its beginning and end, including its
// comments. It reads one text and changes nothing.
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
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import { keyText } from '../load/document-paths.ts';
import type { Layout } from './render-yaml.ts';

export type Collection = YAMLMap | YAMLSeq;

export class YamlPlaces {
  readonly text: string;
  readonly document: Document.Parsed;

  constructor(text: string) {
    this.text = text;
    this.document = parse(text);
  }

  /** The node at a path; undefined if the path contains an alias, which is not followed. */
  nodeAt(path: KeyPath): Node | undefined {
    let node: unknown = this.document.contents;
    for (const part of path) {
      if (isMap(node)) node = pairOf(node, String(part))?.value;
      else if (isSeq(node) && typeof part === 'number') node = node.items[part];
      else return undefined;
    }
    return isNode(node) ? node : undefined;
  }

  /** Whether the key exists, even without a value. */
  has(path: KeyPath): boolean {
    const container = this.nodeAt(path.slice(0, -1));
    const last = path.at(-1);
    if (last === undefined) return true;
    if (isMap(container)) return pairOf(container, String(last)) !== undefined;
    return isSeq(container) && typeof last === 'number' && last < container.items.length;
  }

  /** The offset behind the colon (or dash) that introduces the value at `path`, and behind its anchor. */
  afterIndicator(path: KeyPath, fallback: number): number {
    const pair = this.parentPair(path);
    const token = pair?.srcToken;
    const marks = (token?.sep ?? []).filter(({ type }) => ['map-value-ind', 'anchor', 'tag'].includes(type));
    const mark = marks.at(-1);
    if (mark !== undefined) return mark.offset + mark.source.length;
    const container = this.nodeAt(path.slice(0, -1));
    const index = path.at(-1);
    if (isSeq(container) && typeof index === 'number') return (this.dashes(container)[index] ?? fallback) + 1;
    return fallback;
  }

  parentPair(path: KeyPath): Pair | undefined {
    const container = path.length === 0 ? undefined : this.nodeAt(path.slice(0, -1));
    return isMap(container) ? pairOf(container, String(path.at(-1))) : undefined;
  }

  entryStart(container: Collection, index: number): number {
    if (isMap(container)) return this.pairStart(container.items[index]);
    if (container.flow !== true) return this.dashes(container)[index] ?? 0;
    const item = container.items[index];
    return isNode(item) ? startOf(item) : 0;
  }

  endOf(container: Collection, index: number): number {
    return isMap(container) ? this.pairEnd(container.items[index]) : this.itemEnd(container, index);
  }

  pairStart(pair: Pair | undefined): number {
    return isNode(pair?.key) ? startOf(pair.key) : 0;
  }

  pairEnd(pair: Pair | undefined): number {
    const keyEnd = isNode(pair?.key) ? (pair.key.range?.[1] ?? 0) : 0;
    if (!isNode(pair?.value)) return keyEnd;
    const { value } = pair;
    const empty = value.range?.[0] === value.range?.[1];
    const marks = (pair.srcToken?.sep ?? []).filter(({ type }) => ['map-value-ind', 'anchor', 'tag'].includes(type));
    const mark = marks.at(-1);
    const indicatorEnd = mark === undefined ? keyEnd : mark.offset + mark.source.length;
    return empty ? indicatorEnd : this.contentEnd(value);
  }

  itemEnd(container: YAMLSeq, index: number): number {
    const item = container.items[index];
    const dash = container.flow === true ? 0 : (this.dashes(container)[index] ?? 0) + 1;
    return isNode(item) ? Math.max(dash, this.contentEnd(item)) : dash;
  }

  /** The end of the last character of a node's content, without comments and line ends behind it. */
  contentEnd(node: Node): number {
    if (isCollection(node) && node.flow !== true && node.items.length > 0) {
      return this.endOf(isMap(node) ? node : asSeq(node), node.items.length - 1);
    }
    return node.range?.[1] ?? 0;
  }

  /** Behind the line on which an entry ends, and behind comment lines that are indented deeper than the entry. */
  entryEnd(contentEnd: number, indent: number): number {
    let end = this.lineEnd(contentEnd);
    for (let look = end; look < this.text.length; ) {
      const next = this.lineEnd(look + 1);
      const line = this.text.slice(look, next);
      const comment = /^([ \t]*)#/.exec(line);
      if (comment !== null && (comment[1] ?? '').length > indent) end = next;
      else if (line.trim() !== '') break;
      look = next;
    }
    return end;
  }

  dashes(node: YAMLSeq): number[] {
    const token = node.srcToken;
    if (token === undefined || token.type !== 'block-seq') return [];
    return token.items.flatMap((item) =>
      item.start.filter(({ type }) => type === 'seq-item-ind').map(({ offset }) => offset),
    );
  }

  commaAfter(container: Collection, offset: number): number | undefined {
    const token = container.srcToken;
    if (token === undefined || token.type !== 'flow-collection') return undefined;
    for (const item of token.items) {
      const comma = item.start.find(({ type, offset: at }) => type === 'comma' && at >= offset);
      if (comma !== undefined) return comma.offset + 1;
    }
    return undefined;
  }

  column(offset: number): number {
    return offset - this.lineStart(offset);
  }

  lineStart(offset: number): number {
    const start = this.text.lastIndexOf('\n', offset - 1) + 1;
    // A byte order mark does not count as a column.
    return start === 0 && this.text.startsWith('\uFEFF') && offset > 0 ? 1 : start;
  }

  /** The beginning of the line after the one that contains `offset`. */
  lineEnd(offset: number): number {
    if (offset > 0 && this.text[offset - 1] === '\n') return offset;
    const end = this.text.indexOf('\n', offset);
    return end === -1 ? this.text.length : end + 1;
  }

  /** Line ends and indentation of the file. */
  get layout(): Layout {
    const eol = /\r?\n/.exec(this.text)?.[0] ?? '\n';
    return { eol, step: this.#step() };
  }

  #step(): number {
    const root = this.document.contents;
    if (!isMap(root) || root.flow === true) return 2;
    for (const pair of root.items) {
      if (!isMap(pair.value) || pair.value.flow === true || pair.value.items.length === 0) continue;
      const step = this.column(this.pairStart(pair.value.items[0])) - this.column(this.pairStart(pair));
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

/** The start with its anchor or tag, which the node's own range excludes. */
function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
