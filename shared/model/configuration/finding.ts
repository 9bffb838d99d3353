// A problem found in the configuration: one sentence with its position. A finding never contains a value (CFG-08).
import { asSentence } from '#shared/base/sentence.ts';
import { asOneLine } from '#shared/base/terminal-safe-text.ts';
import { isWholeSentence } from '#shared/base/unknown-name.ts';

export type ConfigurationFileName = 'settings.yaml' | 'users.yaml';

/** `info`: a deprecated key or one without effect. It never causes a failure (CFG-17). */
export type FindingLevel = 'error' | 'warning' | 'info';

export interface Finding {
  readonly level: FindingLevel;
  /** undefined: the directory or the environment. */
  readonly file: ConfigurationFileName | undefined;
  /** Absolute path of another file that the finding is about, such as the metadata of a service provider. */
  readonly otherFile?: string;
  /** Dotted path of the key, such as `oauth.clients[2].scope`. */
  readonly path: string | undefined;
  /** Counted from 1. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** Continues after the path: `must be true or false`. Or a sentence of its own about an unknown key. */
  readonly message: string;
  /** The file does not exist and built-in defaults apply. */
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

/** `settings.yaml:3:9 oauth.issuer must be …`. `fileLabel` returns what is shown for a file name. */
export function describeFinding(finding: Finding, fileLabel: (file: ConfigurationFileName) => string = String): string {
  const place = finding.line === undefined ? '' : `:${finding.line}:${finding.column ?? 1}`;
  const label = finding.otherFile ?? (finding.file && fileLabel(finding.file));
  const file = label === undefined ? '' : `${label}${place} `;
  const path = !finding.path || isWholeSentence(finding.message) ? '' : `${finding.path} `;
  // A message of one clause has no period, one of several sentences has.
  const message = finding.message.includes('. ') ? asSentence(finding.message) : finding.message;
  return asOneLine(`${file}${path}${message}`);
}
