// A text that another directory declared, with this machine's settings from its own file (CLU-19): values, comments and
// layout. Everything else stays byte for byte as declared.
import { type Document, isAlias, isMap, isScalar, parseDocument } from 'yaml';
import { machineSettings } from '#shared/model/configuration/projections/yaml.ts';
import { builtInSettingsText } from '../load/built-in-defaults.ts';
import { keyText } from '../load/document-paths.ts';
import { type ConfigurationTexts, type FileReading, textOf } from '../load/read-files.ts';
import { isMachineKey, machineMeaning, machineSections, sharedMeaning } from '../load/shared-meaning.ts';
import { readYaml } from '../load/yaml-source.ts';
import { LineEdits, type Lines, linesOf, type Section, sectionAt } from './section-lines.ts';
import { YamlPlaces } from './yaml-places.ts';

/**
 * undefined: neither file exists. `not_kept`: the settings are written in a form that cannot be merged, such as
 * aliases.
 */
export function withOwnMachineSettings(
  declared: string | undefined,
  own: string | undefined,
): string | undefined | 'not_kept' {
  if (declared === own) return own;
  const [base, mine] = [declared ?? builtInSettingsText, own ?? ''].map((text) => new YamlPlaces(text));
  if (base === undefined || mine === undefined) return declared;
  if (own !== undefined && sharedMeaning(base.document) === sharedMeaning(mine.document)) return own;
  if ([base, mine].some(hasAliasForSection)) return 'not_kept';
  if (machineMeaning(base.document) + machineMeaning(mine.document) === '') return declared;
  const isKept = (text: string) => saysBoth(text, base.document, mine.document);
  const byLines = mergedByLines(base, mine);
  if (byLines !== undefined && isKept(byLines)) return byLines;
  const whole = mergedAsDocuments(base.text, mine.document);
  return whole !== undefined && isKept(whole) ? whole : 'not_kept';
}

/** An edit of the section would change the anchor that it refers to. */
function hasAliasForSection(places: YamlPlaces): boolean {
  return [...machineSections].some((name) => isAlias(places.nodeAt([name])));
}

/**
 * `file`: settings.yaml of this machine; `before`: the texts that it applied until now, used while the file cannot be
 * read.
 */
export function withOwnSettings(
  declared: ConfigurationTexts,
  file: FileReading,
  before: ConfigurationTexts | undefined,
): ConfigurationTexts | 'not_kept' {
  const isUsable = file.state === 'read' ? readYaml(file.text, {}).problems.length === 0 : isMissing(file, before);
  // Nothing is known of this machine: the declared text may have come from it.
  if (!isUsable && before === undefined) return declared;
  const own = isUsable ? textOf(file) : before?.settings;
  const settings = withOwnMachineSettings(declared.settings, own);
  return settings === 'not_kept' ? settings : { settings, users: declared.users };
}

/** A file that existed before and is missing does not mean built-in defaults (D43). */
function isMissing({ state }: FileReading, before: ConfigurationTexts | undefined): boolean {
  return state === 'missing' && before?.settings === undefined;
}

function saysBoth(text: string, base: Document, mine: Document): boolean {
  const { document, problems } = readYaml(text, {});
  return (
    problems.length === 0 &&
    sharedMeaning(document) === sharedMeaning(base) &&
    machineMeaning(document) === machineMeaning(mine)
  );
}

/** undefined: a section is not written on lines of its own. */
function mergedByLines(base: YamlPlaces, mine: YamlPlaces): string | undefined {
  const edits = new LineEdits(base);
  for (const name of machineSections) {
    if (![base, mine].some((places) => hasMachineKeys(places, name))) continue;
    const [there, here] = [sectionAt(base, name), sectionAt(mine, name)];
    if (there === 'other' || here === 'other') return undefined;
    mergeSection(name, edits, { base, mine, there, here });
  }
  return edits.applied();
}

function hasMachineKeys(places: YamlPlaces, name: string): boolean {
  const section = places.nodeAt([name]);
  return isMap(section) && section.items.some(({ key }) => isMachineKey(name, keyText(key) ?? ''));
}

interface Sections {
  readonly base: YamlPlaces;
  readonly mine: YamlPlaces;
  readonly there: Section | undefined;
  readonly here: Section | undefined;
}

function mergeSection(name: string, edits: LineEdits, { base, mine, there, here }: Sections): void {
  const isOfMachine = ({ key }: Lines) => isMachineKey(name, key);
  const kept = (here?.members ?? []).filter(isOfMachine);
  if (there === undefined || there.members.every(isOfMachine)) {
    if (here === undefined || kept.length === 0) {
      if (there !== undefined && there.members.length > 0) edits.remove(there.lines);
      return;
    }
    const shared = here.members.filter((member) => !isOfMachine(member));
    const text = mine.text.slice(here.lines.start, here.lines.end);
    const section = shared.reduceRight(
      (rest, { start, end }) => rest.slice(0, start - here.lines.start) + rest.slice(end - here.lines.start),
      text,
    );
    if (there !== undefined) edits.replace(there.lines, section, here.lines.comments);
    else edits.insert(section, here.lines, linesOf(base, []), linesOf(mine, []));
    return;
  }
  for (const member of there.members.filter(isOfMachine)) {
    if (!kept.some(({ key }) => key === member.key)) edits.remove(member);
  }
  for (const member of kept) {
    const text = mine.text.slice(member.start, member.end);
    const present = there.members.find(({ key }) => key === member.key);
    if (present !== undefined) edits.replace(present, text, member.comments, member.indent);
    else edits.insert(text, member, there.members, here?.members ?? []);
  }
}

/** The layout of the text may change, but its comments stay. undefined: an anchor in use would be lost. */
function mergedAsDocuments(base: string, mine: Document): string | undefined {
  const document = parseDocument(base, { logLevel: 'silent', uniqueKeys: false, schema: 'core' });
  for (const path of machineSettings) {
    const [section = '', key = ''] = path;
    if (!mine.hasIn(path)) {
      if (isMap(document.getIn([section], true))) document.deleteIn(path);
      continue;
    }
    const node: unknown = mine.getIn(path, true);
    const present: unknown = document.getIn([section], true);
    if (present !== undefined && !isMap(present)) document.delete(section);
    document.setIn([section, key], isNode(node) ? node.clone() : null);
  }
  for (const section of machineSections) {
    const present: unknown = document.getIn([section], true);
    if (isMap(present) && present.items.length === 0) document.delete(section);
  }
  try {
    return document.toString({ lineWidth: 0 });
  } catch {
    return undefined;
  }
}

function isNode(node: unknown): node is { clone(): unknown } {
  return isScalar(node) || (typeof node === 'object' && node !== null && 'clone' in node);
}
