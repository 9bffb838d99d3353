// The form of a fault order, declared once for settings.yaml, sandboxes, REST and MCP. The catalogue
// (shared/engine/faults) defines the faults and their parameters, and the loader gets them through a function.
import * as z from 'zod';
import { everyFaultEndpoint } from '../domain/fault.ts';

const text = z.string().min(1).max(2048);

const value = z.string().max(8192).optional().describe('Required value. Default: any value.');
const named = (name: z.ZodString) => z.strictObject({ name: name.describe('Its name.'), value });
/** RFC 9110 §5.6.2 */
const headerName = text.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header');
/** RFC 6749 §3.3 */
const oneScope = text.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a single scope without spaces');

const endpoint = z.enum(everyFaultEndpoint);

/** Which requests a fault applies to. */
export const conditionModel = z.strictObject({
  client_id: text.optional().describe('The client of the request.'),
  sp: text.optional().describe('Issuer of the AuthnRequest.'),
  username: text.optional().describe('The user who logs in, or the user of the presented code, device code or token.'),
  grant_type: text.optional().describe('The grant_type of a token request.'),
  scope: oneScope.optional().describe('One requested or granted scope.'),
  header: named(headerName).optional().describe('A header of the request.'),
  parameter: named(text).optional().describe('A parameter in the query or form.'),
  nth: z.int().min(1).max(1_000_000).optional().describe('The first matching request for which it fires. Default: 1.'),
});

const timesMax = 1_000_000;

const times = z.union([z.int().min(0).max(timesMax), z.literal('always')], {
  error: `must be a whole number from 0 to ${timesMax} or "always"`,
});

export const notInCatalogue = 'must be the name of a fault in the catalogue';
export const faultNameDescription = 'Name of the fault in the catalogue.';

/** Documents list the names of the catalogue instead. */
export const anyFaultName = z.string(notInCatalogue).describe(faultNameDescription);

/** Everything in the order except the name. */
export const faultOrderShape = {
  at: z
    .union([endpoint, z.array(endpoint).min(1)], {
      error: `must be one or a list of ${everyFaultEndpoint.join(', ')}`,
    })
    .optional()
    .describe('Endpoint or endpoints. Default: all endpoints that the fault supports.'),
  when: conditionModel.optional().describe('Conditions on the request. All of them must match.'),
  times: times.optional().describe('How often it fires, 1 to 1000000. 0 or `always`: no limit. Default: 1.'),
  parameters: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Parameters of the fault, and `delay_ms`, which delays its response.'),
  ttl_seconds: z.int().min(1).max(86_400).optional().describe('Lifetime in seconds of real time.'),
  quiet: z.boolean().optional().describe('Omits X-Test-Idp-Fault.'),
};

/**
 * An entry of `faults`. Loose, because the function below reports unknown members. They make the load fail like every
 * other mistake, since a fault other than the intended one would mislead (FLT-32).
 */
export const faultEntry = z.looseObject({ fault: anyFaultName, ...faultOrderShape });

export type FaultEntry = z.output<typeof faultEntry>;

export interface FaultProblem {
  readonly kind: 'unknown_fault' | 'invalid';
  /** From the top of the entry, such as `parameters.ms`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Present when the last name of `path` is unknown: the names that exist in its place. */
  readonly known?: readonly string[];
}

/** The catalogue's objections to an entry, without those that the model above reports. */
export type ProblemsOfFault = (entry: unknown) => readonly FaultProblem[];
