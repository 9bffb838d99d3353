// The rules of the gate, as a pure function from rows and citations to faults. Every clause has one row, and every
// citation has a row. No test cites a pending row, and at least one test cites every other row.
import type { Requirement } from './row.ts';

/** The rows of one file of this folder. */
export interface Section {
  /** The file's name without extension: the section in lower case. */
  readonly name: string;
  readonly requirements: readonly Requirement[];
}

/** One id in one call of `verifies`. */
export interface Citation {
  readonly id: string;
  /** `path:line` of the call. */
  readonly where: string;
}

interface Verdict {
  /** One sentence each, for people. */
  readonly faults: readonly string[];
  readonly pending: readonly Requirement[];
  readonly proved: number;
}

/** `SAM-07`, `CFG-K12`: section, optional series letter, number. */
const idForm = /^([A-Z]{3})-([KM]?)(\d{2,3})$/;

export function checkRequirements(sections: readonly Section[], citations: readonly Citation[]): Verdict {
  const rows = sections.flatMap(({ requirements }) => requirements);
  const cited = new Map<string, string>();
  for (const { id, where } of citations) if (!cited.has(id)) cited.set(id, where);
  const faults = [...sections.flatMap(faultsOfSection), ...duplicates(rows)];
  const known = new Set(rows.map(({ id }) => id));
  for (const { id, where } of citations) {
    if (!known.has(id)) faults.push(`${where} cites ${id}, which no row has`);
  }
  for (const { id, pending } of rows) {
    const where = cited.get(id);
    if (pending === true && where !== undefined)
      faults.push(`${id} is pending, but ${where} cites it: take pending out`);
    if (pending !== true && where === undefined) faults.push(`${id} is cited by no test: prove it or mark it pending`);
  }
  const pending = rows.filter((row) => row.pending === true);
  return { faults, pending, proved: rows.filter(({ id, pending: due }) => due !== true && cited.has(id)).length };
}

function faultsOfSection({ name, requirements }: Section): string[] {
  const faults: string[] = [];
  const numbersBySeries = new Map<string, number[]>();
  for (const { id, says } of requirements) {
    const [, section, series, digits] = idForm.exec(id) ?? [];
    if (section === undefined || series === undefined || digits === undefined) {
      faults.push(`${name}.ts: '${id}' is no clause id`);
      continue;
    }
    if (section.toLowerCase() !== name) faults.push(`${name}.ts: ${id} belongs into ${section.toLowerCase()}.ts`);
    if (says.trim() === '') faults.push(`${name}.ts: ${id} says nothing`);
    const numbers = numbersBySeries.get(series) ?? [];
    numbersBySeries.set(series, [...numbers, Number(digits)]);
  }
  for (const [series, numbers] of numbersBySeries) {
    const present = new Set(numbers);
    for (let number = 1; number <= Math.max(...numbers); number += 1) {
      const id = `${name.toUpperCase()}-${series}${String(number).padStart(2, '0')}`;
      if (!present.has(number)) faults.push(`${name}.ts: ${id} is missing between its neighbours`);
    }
  }
  if (requirements.length === 0) faults.push(`${name}.ts has no rows`);
  return faults;
}

function duplicates(rows: readonly Requirement[]): string[] {
  const seen = new Set<string>();
  return rows.flatMap(({ id }) => {
    if (seen.has(id)) return [`${id} has two rows`];
    seen.add(id);
    return [];
  });
}
