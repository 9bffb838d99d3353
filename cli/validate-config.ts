// `test-idp validate-config`: the findings that a start would report, one line each (CLI-11 to CLI-13). The format is
// `level: message` for people, only `file:line:column level message` for editors and CI logs (--lines), or JSON. Exit
// code 0 valid, 1 invalid, 2 could not run.
import { relative, resolve } from 'node:path';
import { systemStopwatch } from '#shared/base/clock.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import {
  type DiagnosedFinding,
  type Diagnosis,
  diagnoseDirectory,
} from '#shared/state/configuration/diagnose-directory.ts';
import { configDirectory, readOptions } from './command-line.ts';
import { optionsOf } from './options.ts';
import { UsageError } from './usage-error.ts';

export async function run(args: readonly string[]): Promise<number> {
  const values = readOptions(args, optionsOf['validate-config']);
  if (values.lines === true && values.json === true) throw new UsageError('--lines and --json exclude each other');
  const diagnosis = await diagnoseDirectory({
    directory: configDirectory(values['config-dir']),
    environment: process.env,
    problemsOfFault,
    // Without the option the files decide.
    strict: values.strict === true ? true : undefined,
    stopwatch: systemStopwatch,
  });
  if (values.json === true) process.stdout.write(`${JSON.stringify(diagnosis, null, 2)}\n`);
  else if (values.lines === true) writeLines(diagnosis);
  else process.stdout.write(report(diagnosis));
  return { valid: 0, invalid: 1, unavailable: 2 }[diagnosis.status];
}

/** Only findings, each with a position to jump to. A finding without a line is at the first line. */
function writeLines(diagnosis: Diagnosis): void {
  if (diagnosis.status === 'unavailable') {
    process.stderr.write(`${diagnosis.config_dir}: ${diagnosis.error}\n`);
    return;
  }
  for (const finding of diagnosis.findings) {
    const place = `${pathOf(finding, diagnosis.config_dir)}:${finding.line ?? 1}:${finding.column ?? 1}`;
    process.stdout.write(`${place} ${finding.level} ${finding.message}\n`);
  }
}

function report(diagnosis: Diagnosis): string {
  const lines = [`Configuration in ${diagnosis.config_dir}`];
  if (diagnosis.status === 'unavailable') return `${[...lines, `Unavailable: ${diagnosis.error}`].join('\n')}\n`;
  const { findings } = diagnosis;
  lines.push(
    ...findings.map((finding) => `${finding.level}: ${placeOf(finding, diagnosis.config_dir)}${finding.message}`),
  );
  const mode = diagnosis.strict ? 'strict' : 'default';
  lines.push(`${diagnosis.valid ? 'Valid' : 'Invalid'} (${mode} validation): ${counted(findings)}.`);
  return `${lines.join('\n')}\n`;
}

/** `config/settings.yaml:3:9 `, so that terminals and editors can jump there. */
function placeOf(finding: DiagnosedFinding, directory: string): string {
  const { line, column } = finding;
  return `${pathOf(finding, directory)}${line === null ? '' : `:${line}:${column ?? 1}`} `;
}

/** Relative to the working directory. */
function pathOf({ file }: DiagnosedFinding, directory: string): string {
  if (file === null) return directory;
  const path = resolve(directory, file);
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}

function counted(findings: readonly DiagnosedFinding[]): string {
  if (findings.length === 0) return 'no findings';
  const plural = { error: 'errors', warning: 'warnings', info: 'notes' } as const;
  const singular = { error: 'error', warning: 'warning', info: 'note' } as const;
  return (['error', 'warning', 'info'] as const)
    .map((level) => ({ level, count: findings.filter((finding) => finding.level === level).length }))
    .filter(({ count }) => count > 0)
    .map(({ level, count }) => `${count} ${count === 1 ? singular[level] : plural[level]}`)
    .join(', ');
}
