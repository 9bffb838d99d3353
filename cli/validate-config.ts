// `test-idp validate-config`: what a start would say about the configuration, one line for each finding, for people,
// editors and CI (CLI-11 to CLI-13). Exit code 0 valid, 1 invalid, 2 could not look.
import { join, relative } from 'node:path';
import { systemStopwatch } from '#shared/clock.ts';
import { type DiagnosedFinding, type Diagnosis, diagnoseDirectory } from '#shared/configuration/diagnose-directory.ts';
import { configDirectory, configDirOption, readOptions } from './command-line.ts';

const options = { ...configDirOption, strict: { type: 'boolean' }, json: { type: 'boolean' } } as const;

export async function run(args: readonly string[]): Promise<number> {
  const values = readOptions(args, options);
  const diagnosis = await diagnoseDirectory({
    directory: configDirectory(values['config-dir']),
    environment: process.env,
    // Without the option the files decide.
    strict: values.strict === true ? true : undefined,
    stopwatch: systemStopwatch,
  });
  process.stdout.write(values.json === true ? `${JSON.stringify(diagnosis, null, 2)}\n` : report(diagnosis));
  return { valid: 0, invalid: 1, unavailable: 2 }[diagnosis.status];
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

/** `config/settings.yaml:3:9 `, seen from the working directory, so that editors and terminals can jump there. */
function placeOf({ file, line, column }: DiagnosedFinding, directory: string): string {
  if (file === null) return `${directory} `;
  const path = join(directory, file);
  const near = relative(process.cwd(), path);
  const shown = near.startsWith('..') ? path : near;
  return line === null ? `${shown} ` : `${shown}:${line}:${column ?? 1} `;
}

function counted(findings: readonly DiagnosedFinding[]): string {
  if (findings.length === 0) return 'nothing to report';
  const plural = { error: 'errors', warning: 'warnings', info: 'notes' } as const;
  const singular = { error: 'error', warning: 'warning', info: 'note' } as const;
  return (['error', 'warning', 'info'] as const)
    .map((level) => ({ level, count: findings.filter((finding) => finding.level === level).length }))
    .filter(({ count }) => count > 0)
    .map(({ level, count }) => `${count} ${count === 1 ? singular[level] : plural[level]}`)
    .join(', ');
}
