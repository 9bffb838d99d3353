// What somebody asks for as a fault, by REST, tool, page, YAML or sandbox settings: one model, one reading (FLT-01 to FLT-10).
import * as z from 'zod';
import { likelyNames } from '#shared/base/nearest-name.ts';
import { everyFaultEndpoint, type FaultEndpoint, type FaultOrder } from '#shared/model/domain/fault.ts';
import { everyFault, faultNamed } from './catalogue/index.ts';
import { unmeetable } from './conditions.ts';
import type { FaultRow } from './fault-row.ts';

const text = z.string().min(1).max(2048);

const value = z.string().max(8192).optional().describe('What it must be; left out: its presence is enough.');
const named = (name: z.ZodString) => z.strictObject({ name: name.describe('Its name.'), value });
/** RFC 9110 §5.6.2 */
const headerName = text.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is no name of a header');
/** RFC 6749 §3.3 */
const oneScope = text.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'is not one scope, without blanks');

const endpoint = z.enum(everyFaultEndpoint);

/** Which requests a fault is for. */
export const conditionModel = z.strictObject({
  client_id: text.optional().describe('The client that asks.'),
  sp: text.optional().describe('Issuer of the AuthnRequest.'),
  username: text.optional().describe('Who logs in, or whom the presented code, device code or token is about.'),
  grant_type: text.optional().describe('The grant_type of a token request.'),
  scope: oneScope.optional().describe('One scope that is requested or bound.'),
  header: named(headerName).optional().describe('A header of the request.'),
  parameter: named(text).optional().describe('A parameter in query or form.'),
  nth: z.int().min(1).max(1_000_000).optional().describe('From which of the matching requests on it fires; default 1.'),
});

const timesMax = 1_000_000;

const times = z.union([z.int().min(0).max(timesMax), z.literal('always')], {
  error: `must be a whole number from 0 to ${timesMax} or "always"`,
});

/** The parameter that every fault has (FLT-10). */
export const commonParameters = {
  delay_ms: z.int().min(0).max(60_000).default(0).describe('By how much the answer comes later, in milliseconds.'),
};

export const faultNameModel = z.enum(
  everyFault.map(({ name }) => name),
  { error: ({ input }) => notInCatalogue(typeof input === 'string' ? input : '') },
);

export const faultOrderModel = z.strictObject({
  fault: faultNameModel.describe('Name of the fault, as the catalogue has it.'),
  at: z
    .union([endpoint, z.array(endpoint).min(1)], {
      error: `must be one or a list of ${everyFaultEndpoint.join(', ')}`,
    })
    .optional()
    .describe('Endpoint or endpoints; default: all that the fault can be at.'),
  when: conditionModel.optional().describe('Which requests it is for; all that is given must hold.'),
  times: times.optional().describe('How often it fires: 1 to 1000000, or 0 or `always` for no end; default 1.'),
  parameters: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Parameters of the fault, and `delay_ms`, by which its answer comes later.'),
  ttl_seconds: z.int().min(1).max(86_400).optional().describe('Ends it after so many seconds of real time.'),
  quiet: z.boolean().optional().describe('The answer has no X-Test-Idp-Fault.'),
});

export interface OrderProblem {
  readonly kind: 'unknown_fault' | 'invalid';
  /** From the order's top: `parameters.ms`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type OrderReading = { readonly order: FaultOrder } | { readonly problems: readonly OrderProblem[] };

export function readFaultOrder(given: unknown): OrderReading {
  const named = z.looseObject({ fault: z.string() }).safeParse(given);
  if (named.success && faultNamed(named.data.fault) === undefined)
    return { problems: [unknownFault(named.data.fault)] };
  const read = faultOrderModel.safeParse(given);
  if (!read.success) return { problems: problemsOf(read.error, []) };
  const row = faultNamed(read.data.fault);
  return row === undefined ? { problems: [unknownFault(read.data.fault)] } : complete(read.data, row);
}

function complete(read: z.output<typeof faultOrderModel>, row: FaultRow): OrderReading {
  const at: readonly FaultEndpoint[] = read.at === undefined ? row.at : [...new Set([read.at].flat())];
  const refused = at.find((each) => !row.at.includes(each));
  if (refused !== undefined) {
    return invalid(['at'], `${row.name} cannot be at ${refused}; it can be at ${row.at.join(', ')}`);
  }
  const when = read.when ?? {};
  const unmet = unmeetable(when, at);
  if (unmet !== undefined) return invalid(['when'], unmet);
  const parameters = row.parameters.extend(commonParameters).safeParse(read.parameters ?? {});
  if (!parameters.success) return { problems: problemsOf(parameters.error, ['parameters']) };
  const { delay_ms, ...own } = parameters.data;
  const { times: asked = 1, ttl_seconds = null, quiet = false } = read;
  return {
    order: {
      ...{ fault: row.name, at, when, ttl_seconds, quiet },
      times: asked === 'always' || asked === 0 ? null : asked,
      parameters: delay_ms === 0 ? own : { ...own, delay_ms },
    },
  };
}

function invalid(path: readonly string[], message: string): OrderReading {
  return { problems: [{ kind: 'invalid', path, message }] };
}

function problemsOf(error: z.ZodError, above: readonly string[]): OrderProblem[] {
  return error.issues.flatMap((issue): OrderProblem[] => {
    const path = [...above, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
    if (issue.code === 'invalid_type' && issue.expected === 'object') {
      return [{ kind: 'invalid', path, message: 'an object is expected' }];
    }
    if (issue.code !== 'unrecognized_keys') return [{ kind: 'invalid', path, message: issue.message }];
    return issue.keys.map((key) => ({ kind: 'invalid', path: [...path, key], message: 'there is no such member' }));
  });
}

function unknownFault(name: string): OrderProblem {
  return { kind: 'unknown_fault', path: ['fault'], message: notInCatalogue(name) };
}

function notInCatalogue(name: string): string {
  const near = likelyNames(
    name.slice(0, 100),
    everyFault.map((row) => row.name),
    3,
  );
  const question = near.length === 0 ? '' : `; nearest: ${near.join(', ')}`;
  return `must be the name of a fault of the catalogue${question}`;
}

/** As a sentence that names the place: `parameters.ms: …`. */
export function problemSentence({ path, message }: OrderProblem): string {
  return path.length === 0 ? message : `${dotted(path)}: ${message}`;
}

function dotted(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}
