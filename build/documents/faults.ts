// docs/faults.md: its list of the catalogue is generated from the rows, everything else is written by hand.
import { everyFaultFamily, type FaultFamily } from '#shared/engine/faults/catalogue/index.ts';
import type { CorrectClient, FaultRow } from '#shared/engine/faults/fault-row.ts';
import { shownParameters } from '#shared/engine/faults/show-fault.ts';
import { withWrittenPart } from './written-part.ts';

const part = {
  path: 'docs/faults.md',
  begin: '<!-- faults: written by `npm run docs` -->',
  end: '<!-- end of faults -->',
};

/** The document with its current list of faults. @throws Error when it has no place for one. */
export function withFaults(document: string): string {
  return withWrittenPart(document, part, everyFaultFamily.map(familySection).join('\n'));
}

const correctClientWords: Readonly<Record<CorrectClient, string>> = {
  reject: 'rejects',
  accept: 'accepts',
  recover: 'recovers',
  either: 'either',
};

function familySection({ title, faults }: FaultFamily): string {
  return [
    `### ${title}`,
    '',
    '| Fault | Endpoint | Effect | A correct client | Standard |',
    '| --- | --- | --- | --- | --- |',
    ...faults.map(rowLine),
    '',
  ].join('\n');
}

function rowLine(row: FaultRow): string {
  const { name, at, phase, effect, client, source } = row;
  const cells = [
    `\`${name}\`${phase === 'before' ? ' °' : ''}`,
    at.length > 8 ? 'any' : at.join(', '),
    [effect, parametersOf(row)].filter((part) => part !== '').join(' '),
    correctClientWords[client],
    source === '(A)' ? 'test-idp' : source,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function parametersOf({ parameters }: FaultRow): string {
  return shownParameters(parameters)
    .filter(({ name }) => name !== 'delay_ms')
    .map(({ name, minimum, maximum, values, default: usual }) => {
      const bounds = values?.join(', ') ?? (minimum === undefined ? undefined : `${minimum} to ${maximum}`);
      const stands = usual === null ? undefined : `default ${JSON.stringify(usual)}`;
      const notes = [bounds, stands].filter((part) => part !== undefined).join(', ');
      return notes === '' ? `\`${name}\`.` : `\`${name}\`: ${notes}.`;
    })
    .join(' ');
}
