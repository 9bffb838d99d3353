// Parses an XML 1.0 document with namespaces into a tree, strictly. It rejects documents that are not well-formed and
// every document type declaration, so that no entity, file or network address is ever used (SAM-17). Size, depth,
// number of elements, attributes and namespaces in scope are bounded, and the time is linear in the length. Comments
// and processing instructions are checked and dropped. XML 1.0 (fifth edition), Namespaces in XML 1.0.

import { type NamespaceScope, scopeWith, type XmlAttribute, type XmlElement, type XmlNode } from '../xml-element.ts';
import { hasForbiddenCharacter } from './xml-characters.ts';
import {
  attributePattern,
  qualifiedName,
  space,
  tagEnd,
  xmlDeclarationPattern,
  xmlNamespace,
  xmlnsNamespace,
} from './xml-grammar.ts';
import { XmlUnreadableError } from './xml-unreadable.ts';

const xmlCharactersMax = 1024 * 1024;
const xmlDepthMax = 64;
const xmlElementsMax = 20_000;
const xmlAttributesMax = 256;
/** In scope at one place. Every element that declares a namespace copies those around it. */
const xmlNamespacesMax = 100;

const readableEncodings = new Set(['utf-8', 'us-ascii', 'utf-16']);
const predefinedEntities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

interface OpenElement {
  readonly prefix: string;
  readonly local: string;
  readonly element: XmlElement & { readonly children: XmlNode[] };
  readonly scope: NamespaceScope;
  text: string;
}

/** The root element. @throws XmlUnreadableError */
export function parseXml(source: string): XmlElement {
  return new Parser(readable(source)).document();
}

/** Counted from 1, in characters. */
interface XmlPlace {
  readonly line: number;
  readonly column: number;
}

export interface PlacedXml {
  readonly root: XmlElement;
  /** Where the tag of an element of this tree begins, or its attribute of that local name if it has one. */
  placeOf(element: XmlElement, attribute?: string): XmlPlace;
}

/** Like parseXml, for callers that report positions to people. @throws XmlUnreadableError */
export function parseXmlWithPlaces(source: string): PlacedXml {
  const text = readable(source);
  const offsets: Offsets = new Map();
  const root = new Parser(text, offsets).document();
  let lines: readonly number[] | undefined;
  return {
    root,
    placeOf(element, attribute = '') {
      lines ??= beginningsOfLines(text);
      const places = offsets.get(element);
      return placeIn(lines, places?.get(attribute) ?? places?.get('') ?? 0);
    },
  };
}

function beginningsOfLines(text: string): readonly number[] {
  const beginnings = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) beginnings.push(at + 1);
  return beginnings;
}

/** The last line that begins at or before the offset. */
function placeIn(lines: readonly number[], offset: number): XmlPlace {
  let [low, high] = [0, lines.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((lines[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (lines[low] ?? 0) + 1 };
}

/** For each element, where its tag begins (under the empty name) and where its attributes begin. */
type Offsets = Map<XmlElement, ReadonlyMap<string, number>>;

function readable(source: string): string {
  if (source.length > xmlCharactersMax) throw new XmlUnreadableError('The document is larger than 1 MiB.');
  if (hasForbiddenCharacter(source))
    throw new XmlUnreadableError('The document contains a character that XML 1.0 forbids.');
  return source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
}

class Parser {
  readonly #source: string;
  readonly #open: OpenElement[] = [];
  #at = 0;
  #elements = 0;
  #root: XmlElement | undefined;

  readonly #offsets: Offsets | undefined;

  constructor(source: string, offsets?: Offsets) {
    this.#source = source;
    this.#offsets = offsets;
  }

  document(): XmlElement {
    const declaration = this.#match(xmlDeclarationPattern);
    const encoding = declaration?.[1] ?? declaration?.[2];
    if (encoding !== undefined && !readableEncodings.has(encoding.toLowerCase())) {
      this.#fail('declares an encoding other than UTF-8 and UTF-16');
    }
    while (this.#at < this.#source.length) this.#content();
    const unclosed = this.#open.at(-1);
    if (unclosed !== undefined) this.#fail('ends inside an element');
    return this.#root ?? this.#fail('has no root element');
  }

  #content(): void {
    const current = this.#open.at(-1);
    if (current === undefined) {
      this.#match(space);
      if (this.#at === this.#source.length) return;
    }
    const next = this.#source.indexOf('<', this.#at);
    if (next !== this.#at) this.#text(current, next === -1 ? this.#source.length : next);
    else if (this.#source.startsWith('</', this.#at)) this.#closingTag();
    else if (this.#source.startsWith('<!--', this.#at)) this.#comment();
    else if (this.#source.startsWith('<![CDATA[', this.#at)) this.#characterData(current);
    else if (this.#source.startsWith('<!DOCTYPE', this.#at)) this.#fail('has a document type declaration');
    else if (this.#source.startsWith('<?', this.#at)) this.#processingInstruction();
    else this.#openingTag(current);
  }

  #text(current: OpenElement | undefined, end: number): void {
    const raw = this.#source.slice(this.#at, end);
    if (current === undefined) this.#fail('has text outside its root element');
    if (raw.includes(']]>')) this.#fail('has "]]>" in its text');
    current.text += this.#resolved(raw);
    this.#at = end;
  }

  #characterData(current: OpenElement | undefined): void {
    if (current === undefined) this.#fail('has a CDATA section outside its root element');
    const end = this.#endOf(']]>', 'CDATA section', this.#at + 9);
    current.text += this.#source.slice(this.#at + 9, end);
    this.#at = end + 3;
  }

  #comment(): void {
    const end = this.#endOf('--', 'comment', this.#at + 4);
    if (this.#source[end + 2] !== '>') this.#fail('has "--" inside a comment');
    this.#at = end + 3;
  }

  #processingInstruction(): void {
    const begin = this.#at;
    this.#at += 2;
    const target = this.#match(qualifiedName)?.[0];
    if (target === undefined || target.toLowerCase() === 'xml') {
      this.#at = begin;
      this.#fail('has an invalid processing instruction or XML declaration');
    }
    const end = this.#endOf('?>', 'processing instruction', this.#at);
    if (end !== this.#at && !' \t\n'.includes(this.#source[this.#at] ?? '')) {
      this.#fail('has an invalid processing instruction');
    }
    this.#at = end + 2;
  }

  #openingTag(current: OpenElement | undefined): void {
    if (this.#root !== undefined && current === undefined) this.#fail('has more than one root element');
    this.#elements += 1;
    if (this.#elements > xmlElementsMax) this.#fail(`has more than ${xmlElementsMax} elements`);
    if (this.#open.length >= xmlDepthMax) this.#fail(`is nested deeper than ${xmlDepthMax} elements`);
    const places = this.#offsets && new Map([['', this.#at]]);
    this.#at += 1;
    const name = this.#match(qualifiedName);
    if (name === null) this.#fail('has an invalid tag');
    const [, prefix = '', local = ''] = name;
    const written = this.#writtenAttributes(places);
    const end = this.#match(tagEnd);
    if (end === null) this.#fail('has an invalid tag');

    const declarations = this.#declarations(written);
    const scope = scopeWith(declarations, current?.scope ?? predeclared);
    if (scope.size > xmlNamespacesMax) this.#fail(`has more than ${xmlNamespacesMax} namespaces in scope`);
    const children: XmlNode[] = [];
    const element = {
      prefix,
      local,
      namespace: this.#namespaceOf(prefix, scope),
      declarations,
      attributes: this.#attributes(written, scope),
      children,
    };
    if (places !== undefined) this.#offsets?.set(element, places);
    if (current === undefined) this.#root = element;
    else {
      flushText(current);
      current.element.children.push(element);
    }
    if (end[1] === '') this.#open.push({ prefix, local, element, scope, text: '' });
  }

  #closingTag(): void {
    this.#at += 2;
    const name = this.#match(qualifiedName);
    const closed = this.#open.pop();
    if (name === null || closed === undefined || (name[1] ?? '') !== closed.prefix || name[2] !== closed.local) {
      this.#fail('has a closing tag that matches no opening tag');
    }
    if (this.#match(tagEnd)?.[1] !== '') this.#fail('has an invalid closing tag');
    flushText(closed);
  }

  #writtenAttributes(places: Map<string, number> | undefined): XmlAttribute[] {
    const written: XmlAttribute[] = [];
    for (let match = this.#match(attributePattern); match !== null; match = this.#match(attributePattern)) {
      if (written.length === xmlAttributesMax) this.#fail(`has a tag with more than ${xmlAttributesMax} attributes`);
      const [all, prefix = '', local = '', double, single] = match;
      places?.set(local, match.index + all.length - all.trimStart().length);
      const raw = double ?? single ?? '';
      const value = this.#resolved(/[\t\n]/.test(raw) ? raw.replace(/[\t\n]/g, ' ') : raw);
      written.push({ prefix, local, namespace: '', value });
    }
    return written;
  }

  #declarations(written: readonly XmlAttribute[]): [string, string][] {
    const declarations: [string, string][] = [];
    for (const { prefix, local, value } of written) {
      const isDefault = prefix === '' && local === 'xmlns';
      if (!isDefault && prefix !== 'xmlns') continue;
      const declared = isDefault ? '' : local;
      if (declared === 'xmlns' || value === xmlnsNamespace || (declared === 'xml') !== (value === xmlNamespace)) {
        this.#fail('binds a reserved prefix or namespace');
      }
      if (value === '' && !isDefault) this.#fail('removes the namespace of a prefix');
      if (declarations.some(([known]) => known === declared)) this.#fail('declares a prefix twice on an element');
      declarations.push([declared, value]);
    }
    return declarations;
  }

  #attributes(written: readonly XmlAttribute[], scope: NamespaceScope): XmlAttribute[] {
    const attributes: XmlAttribute[] = [];
    const names = new Set<string>();
    for (const attribute of written) {
      const { prefix, local } = attribute;
      if (prefix === 'xmlns' || (prefix === '' && local === 'xmlns')) continue;
      const namespace = prefix === '' ? '' : this.#namespaceOf(prefix, scope);
      const name = `${namespace} ${local}`;
      if (names.has(name)) this.#fail('has an attribute twice on an element');
      names.add(name);
      attributes.push({ ...attribute, namespace });
    }
    return attributes;
  }

  #namespaceOf(prefix: string, scope: NamespaceScope): string {
    return scope.get(prefix) ?? this.#fail('uses an undeclared prefix');
  }

  /** Resolves character references and the five predefined entities. Without a document type there are no others. */
  #resolved(raw: string): string {
    if (!raw.includes('&')) return raw;
    return raw.replace(/&([^;&]{0,32};?)/g, (_all, reference: string) => {
      const name = reference.endsWith(';') ? reference.slice(0, -1) : '';
      return (
        predefinedEntities.get(name) ?? characterOf(name) ?? this.#fail('refers to an unknown entity or character')
      );
    });
  }

  #endOf(mark: string, what: string, from: number): number {
    const end = this.#source.indexOf(mark, from);
    return end === -1 ? this.#fail(`has a ${what} without an end`) : end;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }

  #fail(what: string): never {
    const place = placeIn(beginningsOfLines(this.#source), this.#at);
    throw new XmlUnreadableError(`The document ${what} (line ${place.line}).`, { place, what });
  }
}

const predeclared: NamespaceScope = new Map([
  ['', ''],
  ['xml', xmlNamespace],
]);

function flushText(open: OpenElement): void {
  if (open.text === '') return;
  open.element.children.push(open.text);
  open.text = '';
}

function characterOf(reference: string): string | undefined {
  const match = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(reference);
  if (match === null) return undefined;
  const codePoint = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  if (codePoint > 0x10ffff) return undefined;
  const character = String.fromCodePoint(codePoint);
  return hasForbiddenCharacter(character) ? undefined : character;
}
