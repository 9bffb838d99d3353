// One file while it is read: its content, the positions of its keys, and all its errors.
import { unknownName } from '#shared/base/unknown-name.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import { clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import {
  type ConfigurationFileName,
  dotted,
  type Finding,
  type FindingLevel,
  type KeyPath,
} from '#shared/model/configuration/finding.ts';
import { serviceProviderEntryModel } from '#shared/model/configuration/service-provider-entry.ts';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';
import { usersFileModel } from '#shared/model/configuration/users-file.ts';
import { keysAt, nodeAt, offsetOf, writtenWithPlaceholder } from './document-paths.ts';
import type { Environment } from './placeholders.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

const findingsMax = 200;

/** Collects findings with the positions of their keys. */
export class LoadedFile {
  readonly findings: Finding[] = [];
  readonly value: unknown;
  strict = false;
  readonly #name: ConfigurationFileName;
  readonly #source: YamlSource;
  readonly #refused = new Set<string>();
  /** Canonical path → path in the file, for keys written under their alias. */
  readonly #writtenAs = new Map<string, KeyPath>();

  constructor(name: ConfigurationFileName, text: string | undefined, whenMissing: string, environment: Environment) {
    this.#name = name;
    this.#source = readYaml(text ?? whenMissing, environment);
    if (text === undefined) {
      const message = 'is missing. Built-in defaults apply';
      this.findings.push({
        level: 'warning',
        file: name,
        path: undefined,
        line: undefined,
        column: undefined,
        message,
        missingFile: true,
      });
    }
    for (const problem of this.#source.problems) {
      this.#add('error', problem.path, problem.offset, problem.message);
    }
    // A file without any content is an empty mapping.
    this.value = this.#source.problems.length > 0 ? undefined : (this.#source.value ?? Object.create(null));
    if (this.value !== undefined && !isMapping(this.value)) {
      this.#add('error', undefined, 0, 'must be a mapping, with one `key: value` on each line');
    }
    for (const { path, message } of this.#source.doubts) this.note('warning', path, message);
  }

  get document(): YamlSource['document'] {
    return this.#source.document;
  }

  /** Its top-level mapping; undefined when the file is no YAML mapping, which was reported. */
  mapping(): Record<string, unknown> | undefined {
    return isMapping(this.value) ? this.value : undefined;
  }

  asksForStrict(): boolean {
    return this.mapping()?.config_validation === 'strict';
  }

  note(level: FindingLevel, path: KeyPath, message: string): void {
    // Finding a position costs a walk through the file, so only the first errors of a file full of them are reported.
    if (this.findings.length >= findingsMax && (level !== 'error' || this.#refused.size > 0)) return;
    const written = this.#inFile(path);
    // One error for each key: a value with two errors is reported once.
    if (level === 'error' && this.#refused.has(dotted(written))) return;
    if (level === 'error') this.#refused.add(dotted(written));
    this.#add(level, dotted(written) + this.#nameOfEntry(written), offsetOf(this.#source.document, written), message);
  }

  renamed(canonical: KeyPath, alias: KeyPath): void {
    this.#writtenAs.set(dotted(canonical), alias);
  }

  isWritten(path: KeyPath): boolean {
    return nodeAt(this.#source.document, this.#inFile(path)) !== undefined;
  }

  /** The keys of a mapping in the order of the file: JavaScript puts names like 1001 before all others. */
  keysOf(path: KeyPath): readonly string[] | undefined {
    return keysAt(this.#source.document, path);
  }

  readonly handlers = {
    fromPlaceholder: (path: KeyPath) => writtenWithPlaceholder(this.#source.document, this.#inFile(path)),
    unknownKey: (path: KeyPath) => {
      const parent = path.slice(0, -1);
      const place = parent.length === 0 ? undefined : dotted(parent) + this.#nameOfEntry(this.#inFile(path));
      const sentence = unknownName('key', String(path.at(-1)), this.#keysBeside(path), place);
      this.note(this.strict ? 'error' : 'warning', path, sentence);
    },
    otherForm: (path: KeyPath, canonical: string) =>
      this.note(
        'info',
        path,
        `is accepted, but other YAML programs may read it differently. Write ${canonical} without quotes`,
      ),
    broken: (path: KeyPath, message: string) => this.note('error', path, message),
  };

  #inFile(path: KeyPath): KeyPath {
    const alias = typeof path[0] === 'string' ? this.#writtenAs.get(path[0]) : undefined;
    return alias === undefined ? path : [...alias, ...path.slice(1)];
  }

  /** The keys that the model has in the same mapping. */
  #keysBeside(path: KeyPath): Iterable<string> {
    if (this.#name === 'users.yaml') return Object.keys(usersFileModel.shape);
    const parent = path.slice(0, -1).map((part) => (typeof part === 'number' ? '' : part));
    const entries = entryModels.get(parent.slice(0, 2).join('.'));
    return entries === undefined ? keysBelow(parent) : Object.keys(entries.shape);
  }

  #nameOfEntry(path: KeyPath): string {
    return this.#nameOfClient(path) + this.#nameOfServiceProvider(path);
  }

  /** An index alone is unclear to people, so the message also names the client (CFG-43). */
  #nameOfClient(path: KeyPath): string {
    if (path[0] !== 'oauth' || path[1] !== 'clients' || path.length < 4) return '';
    const { oauth } = this.mapping() ?? {};
    const clients = isMapping(oauth) ? oauth.clients : undefined;
    const client: unknown = Array.isArray(clients) && typeof path[2] === 'number' ? clients[path[2]] : undefined;
    const name = isMapping(client) ? client.client_id : undefined;
    return typeof name === 'string' && name !== '' ? ` (client ${JSON.stringify(name)})` : '';
  }

  #nameOfServiceProvider(path: KeyPath): string {
    if (path[0] !== 'saml' || path[1] !== 'service_providers' || path.length < 4) return '';
    const { saml } = this.mapping() ?? {};
    const entries = isMapping(saml) ? saml.service_providers : undefined;
    const entry: unknown = Array.isArray(entries) && typeof path[2] === 'number' ? entries[path[2]] : undefined;
    const name = isMapping(entry) ? entry.entity_id : undefined;
    return typeof name === 'string' && name !== '' ? ` (service provider ${JSON.stringify(name)})` : '';
  }

  #add(level: FindingLevel, path: string | undefined, offset: number | undefined, message: string): void {
    const place = offset === undefined ? undefined : this.#source.placeOf(offset);
    this.findings.push({ level, file: this.#name, path, line: place?.line, column: place?.column, message });
  }
}

const entryModels: ReadonlyMap<string, { readonly shape: object }> = new Map<string, { readonly shape: object }>([
  ['oauth.clients', clientEntryModel],
  ['saml.service_providers', serviceProviderEntryModel],
]);

function keysBelow(parent: readonly string[]): ReadonlySet<string> {
  const fields = settingsFields.map((field) => field.path.split('.'));
  const inside = fields.filter((parts) => parent.every((part, index) => parts[index] === part));
  return new Set(inside.flatMap((parts) => parts[parent.length] ?? []));
}
