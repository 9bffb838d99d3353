// The part of settings.yaml that applies to every machine that shares a store: everything except the settings of each
// machine (CLU-19). Placeholders are compared unexpanded, because each machine expands them with its own environment
// (CLU-18).
import { createHash } from 'node:crypto';
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml';
import { machineSettings } from '#shared/model/configuration/projections/yaml.ts';
import { builtInSettingsText } from './built-in-defaults.ts';
import { keyText } from './document-paths.ts';
import type { ConfigurationTexts } from './read-files.ts';

const machineKeys: ReadonlySet<string> = new Set(machineSettings.map((path) => path.join('.')));

/** The sections with settings of a machine; such settings are two levels deep, which a test checks. */
export const machineSections: ReadonlySet<string> = new Set(machineSettings.map(([section = '']) => section));

export function isMachineKey(section: string, key: string): boolean {
  return machineKeys.has(`${section}.${key}`);
}

/** Two texts with the same meaning declare the same, regardless of comments and layout. */
export function sharedMeaning(document: Pick<Document, 'contents'>): string {
  const { contents } = document;
  // An empty text is an empty mapping.
  if (contents === null || (isScalar(contents) && contents.value === null)) return '{}';
  if (!isMap(contents)) return written(contents);
  const sections = contents.items.flatMap(({ key, value }) => {
    const name = keyText(key) ?? '';
    const shared = machineSections.has(name) ? sharedOfSection(name, value) : written(value);
    return shared === undefined ? [] : [`${JSON.stringify(name)}:${shared}`];
  });
  return `{${sections.join()}}`;
}

/** The settings of the machine itself, in the order of the model. */
export function machineMeaning(document: Pick<Document, 'contents'>): string {
  const { contents } = document;
  if (!isMap(contents)) return '';
  const settings = machineSettings.flatMap(([section = '', key = '']) => {
    const value = memberOf(contents, section);
    const has = isMap(value) && value.items.some((pair) => keyText(pair.key) === key);
    return has ? [`${section}.${key}:${written(memberOf(value, key))}`] : [];
  });
  return settings.join();
}

/** undefined: the section is empty, as if it did not exist. */
function sharedOfSection(section: string, value: unknown): string | undefined {
  if (isScalar(value) && value.value === null) return undefined;
  if (value === null) return undefined;
  if (!isMap(value)) return written(value);
  const members = value.items.flatMap((pair) => {
    const name = keyText(pair.key) ?? '';
    return isMachineKey(section, name) ? [] : [`${JSON.stringify(name)}:${written(pair.value)}`];
  });
  return members.length === 0 ? undefined : `{${members.join()}}`;
}

/** As the text writes it: aliases and anchors by name, placeholders unexpanded. */
function written(node: unknown): string {
  if (isAlias(node)) return `*${node.source}`;
  const anchor = isNodeWithAnchor(node) ? `&${node.anchor} ` : '';
  if (isScalar(node)) {
    const { value } = node;
    return anchor + (typeof value === 'string' ? JSON.stringify(value) : String(value));
  }
  if (isSeq(node)) return `${anchor}[${node.items.map(written).join()}]`;
  if (!isMap(node)) return 'null';
  const members = node.items.map(({ key, value }) => `${JSON.stringify(keyText(key) ?? '')}:${written(value)}`);
  return `${anchor}{${members.join()}}`;
}

function isNodeWithAnchor(node: unknown): node is Node & { readonly anchor: string } {
  return (isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined;
}

function memberOf(map: YAMLMap, name: string): unknown {
  return map.items.find(({ key }) => keyText(key) === name)?.value;
}

/** A digest of what is declared for all machines; `settings`: the parsed text, if the caller has it. */
export function sharedDigest({ settings, users }: ConfigurationTexts, document = parsed(settings)): string {
  return createHash('sha256')
    .update(JSON.stringify([sharedMeaning(document), users ?? null]))
    .digest('hex');
}

function parsed(settings: string | undefined): Pick<Document, 'contents'> {
  return parseDocument(settings ?? builtInSettingsText, { logLevel: 'silent', uniqueKeys: false, schema: 'core' });
}
