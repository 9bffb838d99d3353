// The lines of a YAML text that do not belong to one entry, to check that a change of that entry did not affect them.
import { isCollection, isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';

interface Lines {
  readonly from: number;
  readonly to: number;
}

interface OtherLines {
  /**
   * All lines except those of the entry and of the keys that lead to it, or undefined if it has no lines of its own.
   */
  readonly beside: readonly string[] | undefined;
  /** All lines except blank ones and those of the outermost key. Blank lines can stay when it loses its last entry. */
  readonly outside: readonly string[];
}

/** `name` is a key, or the client_id of an item in a list. A missing final line end does not count. */
export function otherLines(text: string, path: readonly string[], name: string): OtherLines {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  const without = (out: readonly Lines[]) =>
    lines.filter((_, index) => !out.some(({ from, to }) => index >= from && index <= to));
  const { entry, outermost } = linesOf(text, lines, path, name);
  return {
    beside: entry === undefined ? undefined : without(entry),
    outside: without(outermost).filter((line) => line.trim() !== ''),
  };
}

function linesOf(text: string, lines: readonly string[], path: readonly string[], name: string) {
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length - 1;
  const linesOfPair = (pair: Pair) => withComments({ from: lineAt(startOf(pair)), to: lineAt(endOf(pair)) }, lines);
  const root = parseDocument(text, { uniqueKeys: false }).contents;
  if (isMap(root) && root.flow === true) return { entry: undefined, outermost: [{ from: 0, to: lines.length }] };
  const first = isMap(root) ? pairOf(root, path[0] ?? name) : undefined;
  const outermost = first === undefined ? [] : [linesOfPair(first)];
  const entry: Lines[] = [];
  let node: unknown = root;
  for (const key of path) {
    const pair = isMap(node) && node.flow !== true ? pairOf(node, key) : undefined;
    if (pair === undefined) return { entry: undefined, outermost };
    const keyLine = lineAt(startOf(pair));
    entry.push({ from: keyLine, to: keyLine });
    node = pair.value;
  }
  if (!isCollection(node) || node.flow === true || node.items.length === 0) return { entry: undefined, outermost };
  if (isMap(node)) {
    const pair = pairOf(node, name);
    if (pair !== undefined) entry.push(linesOfPair(pair));
  } else if (isSeq(node)) {
    for (const item of node.items) {
      if (!isMap(item) || String(item.get('client_id')) !== name) continue;
      const [start = 0] = item.range ?? [];
      // The dash may be on a line of its own.
      let from = lineAt(start);
      while (from > 0 && !/^\s*-/.test(lines[from] ?? '')) from -= 1;
      entry.push(withComments({ from, to: lineAt(endOfNode(item)) }, lines));
    }
  }
  return { entry, outermost };
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && String(key.value) === name);
}

function startOf(pair: Pair): number {
  return isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
}

function endOf(pair: Pair): number {
  const keyEnd = isScalar(pair.key) ? (pair.key.range?.[1] ?? 0) : 0;
  return Math.max(keyEnd, endOfNode(pair.value));
}

/** The offset of the last character of the content. */
function endOfNode(node: unknown): number {
  if (isCollection(node) && node.flow !== true && node.items.length > 0) {
    const last = node.items.at(-1);
    return isMap(node) ? endOf(last as Pair) : endOfNode(last);
  }
  if (!isScalar(node) && !isCollection(node)) return 0;
  const [start = 0, end = 0] = node.range ?? [];
  return end > start ? end - 1 : start;
}

/** Comment lines that are indented deeper than the entry belong to it, with the blank lines before them. */
function withComments({ from, to }: Lines, lines: readonly string[]): Lines {
  const indent = /^[\uFEFF ]*/.exec(lines[from] ?? '')?.[0].length ?? 0;
  let end = to;
  for (let look = to + 1; look < lines.length; look += 1) {
    const line = lines[look] ?? '';
    if (line.trim() === '') continue;
    const comment = /^(\s*)#/.exec(line);
    if (comment === null || (comment[1] ?? '').length <= indent) break;
    end = look;
  }
  return { from, to: end };
}
