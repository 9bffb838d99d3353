// What a look at the configuration found: one sentence with its place. A finding never holds a value (CFG-08).
import { asOneLine } from '#shared/base/terminal-safe-text.ts';

export type ConfigurationFileName = 'settings.yaml' | 'users.yaml';

/** `info`: a deprecated key or one without effect, which nothing fails on (CFG-17). */
export type FindingLevel = 'error' | 'warning' | 'info';

export interface Finding {
  readonly level: FindingLevel;
  /** undefined: the directory or the environment. */
  readonly file: ConfigurationFileName | undefined;
  /** Absolute path of the other file that it is about instead, such as the metadata of a service provider. */
  readonly otherFile?: string;
  /** Dotted path of the key, such as `oauth.clients[2].scope`. */
  readonly path: string | undefined;
  /** Counted from 1. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** Reads on after the path: `must be true or false`. */
  readonly message: string;
  /** The file is not there and built-in defaults apply. */
  readonly missingFile?: true;
}

export type KeyPath = readonly (string | number)[];

export function dotted(path: KeyPath): string {
  return path.reduce<string>((written, part) => {
    if (typeof part === 'number') return `${written}[${part}]`;
    const name = /^[^\s.[\]"]+$/.test(part) ? part : JSON.stringify(part);
    return written === '' ? name : `${written}.${name}`;
  }, '');
}

/** `settings.yaml:3:9 oauth.issuer must be …`; `directory` is put before the file name when given. */
export function describeFinding(finding: Finding, fileLabel: (file: ConfigurationFileName) => string = String): string {
  const place = finding.line === undefined ? '' : `:${finding.line}:${finding.column ?? 1}`;
  const label = finding.otherFile ?? (finding.file && fileLabel(finding.file));
  const file = label === undefined ? '' : `${label}${place} `;
  const path = finding.path === undefined || finding.path === '' ? '' : `${finding.path} `;
  return asOneLine(`${file}${path}${finding.message}`);
}
