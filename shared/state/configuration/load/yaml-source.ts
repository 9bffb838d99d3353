// One configuration file as YAML: its document, its plain value with placeholders expanded, and the line of any offset.
// It rejects content that is read differently from how it looks (duplicate keys, tags, merge keys, `__proto__`), and
// aliases with unlimited cost. It does not depend on any key of the configuration.
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { prototypeKeyProblem } from '#shared/base/untrusted-values.ts';
import { dotted, type KeyPath } from '#shared/model/configuration/finding.ts';
import { keyText } from './document-paths.ts';
import { doubtfulPlaceholder, type Environment, expandPlaceholders } from './placeholders.ts';
import { depthMax, excessOf } from './text-limits.ts';

interface SourceProblem {
  readonly offset: number;
  readonly path: string | undefined;
  readonly message: string;
}

/** Content that is read literally and probably meant otherwise. */
interface SourceDoubt {
  readonly path: KeyPath;
  readonly message: string;
}

export interface YamlSource {
  readonly text: string;
  readonly document: Document.Parsed;
  /** The plain value; mappings have no prototype. undefined when `problems` is not empty. */
  readonly value: unknown;
  readonly problems: readonly SourceProblem[];
  readonly doubts: readonly SourceDoubt[];
  placeOf(offset: number): { readonly line: number; readonly column: number };
}

/** The limit for all nodes that aliases add together. */
const aliasedNodesMax = 10_000;
const problemsMax = 50;
const plainTags: ReadonlySet<string> = new Set(['str', 'int', 'float', 'bool', 'null', 'map', 'seq']);

export function readYaml(text: string, environment: Environment): YamlSource {
  const lines = new LineCounter();
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const excess = excessOf(text);
  const document = excess === undefined ? parse(text, lines) : undefined;
  if (document === undefined) {
    addLines(lines, text);
    const { offset, message } = excess ?? { offset: 0, message: 'is nested too deeply' };
    const problem = { offset, path: undefined, message };
    return {
      text,
      document: parse('', new LineCounter()) ?? unreachable(),
      value: undefined,
      problems: [problem],
      doubts: [],
      placeOf,
    };
  }
  const syntax = [...document.errors].sort((one, other) => one.pos[0] - other.pos[0])[0];
  if (syntax !== undefined) {
    // Errors after the first syntax error are usually its consequences.
    const problem = { offset: syntax.pos[0], path: undefined, message: syntaxSentence(syntax.code) };
    return { text, document, value: undefined, problems: [problem], doubts: [], placeOf };
  }
  const reader = new PlainReader(environment);
  const value = reader.read(document.contents, [], 0);
  return {
    text,
    document,
    value: reader.problems.length === 0 ? value : undefined,
    problems: reader.problems,
    doubts: reader.doubts,
    placeOf,
  };
}

function addLines(lines: LineCounter, text: string): void {
  lines.addNewLine(0);
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1);
}

/** undefined: the nesting exhausts the parser's stack. */
function parse(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  const { stackTraceLimit } = Error;
  // The parser creates an error for everything that it does not understand. Their stacks are unused and cost the most.
  Error.stackTraceLimit = 0;
  try {
    const document = parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      // The parser's own check compares every key with every other. PlainReader does this check.
      uniqueKeys: false,
      logLevel: 'error',
      version: '1.2',
      schema: 'core',
    });
    return document;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function unreachable(): never {
  throw new Error('an empty text is YAML');
}

class PlainReader {
  readonly problems: SourceProblem[] = [];
  readonly doubts: SourceDoubt[] = [];
  readonly #environment: Environment;
  /** Anchors in the order of the text: an alias refers to the nearest one before it. */
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  readonly #told = new Set<string>();
  #aliasedNodes = 0;
  #aliasDepth = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  read(node: unknown, path: KeyPath, depth: number): unknown {
    if (this.problems.length >= problemsMax) return null;
    if (isAlias(node)) return this.#alias(node, path, depth);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    if (this.#aliasDepth > 0) this.#aliasedNodes += 1;
    if (this.#aliasedNodes > aliasedNodesMax) {
      return this.#refuse(node, [], 'has aliases that expand to too much. Write the values instead');
    }
    if (depth > depthMax) return this.#refuse(node, path, 'is nested too deeply');
    if (node.tag !== undefined && !plainTags.has(node.tag.replace('tag:yaml.org,2002:', ''))) {
      return this.#refuse(node, path, 'has a YAML tag, which is not supported. Remove it');
    }
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return typeof node.value === 'string' ? this.#text(node.value, path) : node.value;
    this.#open.add(node);
    const value = isSeq(node)
      ? node.items.map((item, index) => this.read(item, [...path, index], depth + 1))
      : this.#mapping(node, path, depth);
    this.#open.delete(node);
    return value;
  }

  #text(text: string, path: KeyPath): string {
    // The content of an alias was reported at its anchor.
    const doubt = this.#aliasDepth === 0 ? doubtfulPlaceholder(text) : undefined;
    if (doubt !== undefined) this.doubts.push({ path, message: doubt });
    return expandPlaceholders(text, this.#environment);
  }

  #mapping(node: Node & { items: unknown[] }, path: KeyPath, depth: number): unknown {
    const mapping: Record<string, unknown> = Object.create(null);
    if (!isMap(node)) return mapping;
    for (const { key, value } of node.items) {
      const name = keyText(key);
      const at = isScalar(key) || isMap(key) || isSeq(key) ? key : node;
      if (name === undefined) this.#refuse(at, path, 'has a key that is not a string');
      else if (name === '__proto__') this.#refuse(at, [...path, name], prototypeKeyProblem);
      else if (name === '<<' && isScalar(key) && key.type === 'PLAIN')
        this.#refuse(at, [...path, name], '(a merge key) is not supported. Write the keys instead');
      else if (Object.hasOwn(mapping, name)) this.#refuse(at, [...path, name], 'is repeated. Remove one of them');
      else mapping[name] = this.read(value, [...path, name], depth + 1);
    }
    return mapping;
  }

  #alias(node: Node & { source: string }, path: KeyPath, depth: number): unknown {
    const target = this.#anchors.get(node.source);
    if (target === undefined)
      return this.#refuse(node, path, 'is an alias of an unknown anchor. Set the anchor before the alias');
    if (this.#open.has(target)) return this.#refuse(node, path, 'is an alias that contains itself');
    this.#aliasDepth += 1;
    const value = this.read(target, path, depth);
    this.#aliasDepth -= 1;
    return value;
  }

  #refuse(node: Node, path: KeyPath, message: string): null {
    if (this.problems.length >= problemsMax) return null;
    const problem = { offset: node.range?.[0] ?? 0, path: path.length === 0 ? undefined : dotted(path), message };
    const sentence = `${problem.path} ${message}`;
    // One finding for an alias bomb, not one for each of its parts; one for a key, however often it is repeated.
    if (!this.#told.has(sentence)) this.problems.push(problem);
    this.#told.add(sentence);
    return null;
  }
}

/** The plain value of one node, for a text that was read without errors. Aliases need the content before them. */
export function plainValue(node: unknown, document: Document.Parsed, environment: Environment): unknown {
  const reader = new PlainReader(environment);
  // Anchors are known only after the whole text was read.
  if (usesAliases(document)) reader.read(document.contents, [], 0);
  return reader.read(node, [], 0);
}

const aliasFree = new WeakMap<Document.Parsed, boolean>();

function usesAliases(document: Document.Parsed): boolean {
  const known = aliasFree.get(document);
  if (known !== undefined) return known;
  let found = false;
  visit(document, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
  });
  aliasFree.set(document, found);
  return found;
}

/** The parser's own messages may repeat a piece of the file, so each kind has our own sentence. */
function syntaxSentence(code: string): string {
  const sentences: Record<string, string> = {
    BAD_ALIAS: 'is not valid YAML: an alias (*) needs a name',
    BAD_DQ_ESCAPE: 'is not valid YAML: unknown escape sequence in double quotes. Write \\\\ for a backslash',
    BAD_INDENT: 'is not valid YAML: the indentation does not match the lines around it',
    BAD_SCALAR_START: 'is not valid YAML: a value cannot begin with this character. Put the value in quotes',
    BLOCK_AS_IMPLICIT_KEY: 'is not valid YAML: two keys on one line. Put the value in quotes or on its own line',
    MISSING_CHAR: 'is not valid YAML: a character is missing, such as a closing quote, a bracket or a colon',
    RESOURCE_EXHAUSTION: 'is nested too deeply',
    MULTILINE_IMPLICIT_KEY: 'is not valid YAML: a key must be on one line. Check for a missing colon',
    MULTIPLE_DOCS: 'has more than one YAML document. Remove the line ---',
    TAB_AS_INDENT: 'is not valid YAML: tabs cannot indent. Use spaces',
    TAG_RESOLVE_FAILED: 'is not valid YAML: a value does not match its tag',
    UNEXPECTED_TOKEN: 'is not valid YAML: unexpected content',
  };
  return sentences[code] ?? 'is not valid YAML';
}
