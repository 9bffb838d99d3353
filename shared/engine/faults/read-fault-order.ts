// A request for a fault, by REST, tool, page, YAML or sandbox settings: one model and one parser for all (FLT-01 to
// FLT-10).
import * as z from 'zod';
import { aboutField } from '#shared/base/sentence.ts';
import { isWholeSentence, unknownName } from '#shared/base/unknown-name.ts';
import {
  conditionModel,
  type FaultEntry,
  type FaultProblem,
  faultEntry,
  faultNameDescription,
  faultOrderShape,
  notInCatalogue,
} from '#shared/model/configuration/fault-entry.ts';
import type { FaultEndpoint, FaultOrder } from '#shared/model/domain/fault.ts';
import { faultNamed, faultNames } from './catalogue/index.ts';
import { impossibleCondition } from './conditions.ts';
import type { FaultRow } from './fault-row.ts';

/** The parameter that every fault has (FLT-10). */
export const commonParameters = {
  delay_ms: z.int().min(0).max(60_000).default(0).describe('Delay of the response, in milliseconds.'),
};

export const faultNameModel = z.enum(faultNames, {
  error: ({ input }) => (typeof input === 'string' ? unknownFaultName(input) : notInCatalogue),
});

export const faultOrderModel = z.strictObject({
  fault: faultNameModel.describe(faultNameDescription),
  ...faultOrderShape,
});

type OrderReading = { readonly order: FaultOrder } | { readonly problems: readonly FaultProblem[] };

export function readFaultOrder(given: unknown): OrderReading {
  const named = z.looseObject({ fault: z.string() }).safeParse(given);
  if (named.success && faultNamed(named.data.fault) === undefined)
    return { problems: [unknownFault(named.data.fault)] };
  const read = faultOrderModel.safeParse(given);
  if (!read.success) return { problems: problemsOf(read.error, []) };
  const row = faultNamed(read.data.fault);
  return row === undefined ? { problems: [unknownFault(read.data.fault)] } : complete(read.data, row);
}

/** What the catalogue rejects in an entry of settings.yaml or of a sandbox (FLT-32). */
export function problemsOfFault(entry: unknown): readonly FaultProblem[] {
  const read = readFaultOrder(entry);
  if ('order' in read) return [];
  const isShaped = faultEntry.safeParse(entry).success;
  return isShaped ? read.problems : read.problems.filter(({ kind }) => kind === 'unknown_fault');
}

/** @throws Error for an entry that has problems */
export function orderOfEntry(entry: FaultEntry): FaultOrder {
  const read = readFaultOrder(entry);
  if ('order' in read) return read.order;
  throw new Error(read.problems.map(problemSentence).join('; '));
}

function complete(read: z.output<typeof faultOrderModel>, row: FaultRow): OrderReading {
  const at: readonly FaultEndpoint[] = read.at === undefined ? row.at : [...new Set([read.at].flat())];
  const refused = at.find((each) => !row.at.includes(each));
  if (refused !== undefined) {
    return invalid(['at'], `${row.name} is not possible at ${refused}. Possible: ${row.at.join(', ')}`);
  }
  const when = read.when ?? {};
  const unmet = impossibleCondition(when, at);
  if (unmet !== undefined) return invalid(['when'], unmet);
  const all = row.parameters.extend(commonParameters);
  const parameters = all.safeParse(read.parameters ?? {});
  if (!parameters.success) return { problems: problemsOf(parameters.error, ['parameters'], Object.keys(all.shape)) };
  const { delay_ms, ...own } = parameters.data;
  const { times: requestedTimes = 1, ttl_seconds = null, quiet = false } = read;
  return {
    order: {
      ...{ fault: row.name, at, when, ttl_seconds, quiet },
      times: requestedTimes === 'always' || requestedTimes === 0 ? null : requestedTimes,
      parameters: delay_ms === 0 ? own : { ...own, delay_ms },
    },
  };
}

function invalid(path: readonly string[], message: string): OrderReading {
  return { problems: [{ kind: 'invalid', path, message }] };
}

/** The fields of the order or of its condition, or the given parameters. */
function knownAt(path: readonly (string | number)[], parameters: readonly string[]): readonly string[] {
  if (path.length === 0) return Object.keys(faultOrderModel.shape);
  if (path.length > 1) return [];
  return path[0] === 'when' ? Object.keys(conditionModel.shape) : parameters;
}

function problemsOf(error: z.ZodError, above: readonly string[], parameters: readonly string[] = []): FaultProblem[] {
  return error.issues.flatMap((issue): FaultProblem[] => {
    const path = [...above, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
    if (issue.code === 'invalid_type' && issue.expected === 'object') {
      return [{ kind: 'invalid', path, message: 'must be an object' }];
    }
    if (issue.code !== 'unrecognized_keys') return [{ kind: 'invalid', path, message: issue.message }];
    const known = knownAt(path, parameters);
    return issue.keys.map((key) => ({ kind: 'invalid', path: [...path, key], message: 'is unknown', known }));
  });
}

function unknownFault(name: string): FaultProblem {
  return { kind: 'unknown_fault', path: ['fault'], message: unknownFaultName(name) };
}

function unknownFaultName(name: string): string {
  return unknownName('fault', name.slice(0, 100), faultNames);
}

/** All problems in one text. An unknown name is reported alone, because it has a sentence of its own. */
export function problemsText(problems: readonly FaultProblem[]): string {
  const unknown = problems.find(({ known, kind }) => known !== undefined || kind === 'unknown_fault');
  return unknown === undefined ? problems.map(problemSentence).join(', ') : problemSentence(unknown);
}

/** The problem as a sentence that names the position: `parameters.ms: …`. An unknown name has a sentence of its own. */
export function problemSentence({ path, message, known }: FaultProblem): string {
  if (known !== undefined) {
    const siblings = known.map((name) => dotted([...path.slice(0, -1), name]));
    return unknownName('field', dotted(path), siblings);
  }
  if (isWholeSentence(message)) return message;
  return path.length === 0 ? message : aboutField(dotted(path), message);
}

function dotted(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}
