// A request to create a sandbox: the body of POST /api/sandboxes, the arguments of the tool, the fields of the form
// (SBX-01 to SBX-04).
import * as z from 'zod';
import { unknownName } from '#shared/base/unknown-name.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import {
  type Sandbox,
  sandboxKeyKinds,
  sandboxLifetimeSeconds,
  sandboxNamePattern,
} from '#shared/model/domain/sandbox.ts';
import { type OwnSettings, readOwnSettings } from '#shared/state/configuration/sandbox-settings.ts';

const { least, most, byDefault } = sandboxLifetimeSeconds;
const lifetime = `must be a whole number from ${least} to ${most}`;
const name = 'must be 1 to 63 characters of a-z, 0-9 and -, without - at the start or end';

export const sandboxRequestShape = {
  name: z
    .string(name)
    .regex(sandboxNamePattern, name)
    .optional()
    .meta({ description: 'Its name, the part after /s/. Default: a random name.' }),
  ttl_seconds: z
    .int(lifetime)
    .min(least, lifetime)
    .max(most, lifetime)
    .default(byDefault)
    .meta({ description: `Lifetime in seconds. Default: ${byDefault}.` }),
  settings: z.record(z.string(), z.unknown(), 'must be an object').default({}).meta({
    description: 'Its own settings, nested as in settings.yaml, such as `{"security_profile": "oauth21"}`.',
  }),
  keys: z
    .enum(sandboxKeyKinds, `must be ${sandboxKeyKinds.join(' or ')}`)
    .default('shared')
    .meta({
      description: '`own`: its own signing key. `shared` (default): the key of the stack.',
    }),
};

const model = z.strictObject(sandboxRequestShape, 'must be an object');

type SandboxRequest = Pick<Sandbox, 'ttlSeconds' | 'settings' | 'keys'> & {
  readonly name: string | undefined;
  readonly own: OwnSettings;
};

type SandboxRequestReading =
  | { readonly outcome: 'read'; readonly request: SandboxRequest }
  | { readonly outcome: 'invalid'; readonly message: string };

export function readSandboxRequest(given: unknown): SandboxRequestReading {
  const parsed = model.safeParse(given === undefined ? {} : given);
  if (!parsed.success) return { outcome: 'invalid', message: describedIssues(parsed.error.issues) };
  const { ttl_seconds, settings, keys, name: requestedName } = parsed.data;
  const reading = readOwnSettings(settings, problemsOfFault);
  if (reading.outcome === 'refused') return { outcome: 'invalid', message: reading.message };
  return {
    outcome: 'read',
    request: { name: requestedName, ttlSeconds: ttl_seconds, settings, keys, own: reading.own },
  };
}

/** An unknown field has a sentence of its own, so it is reported alone. */
function describedIssues(issues: readonly z.core.$ZodIssue[]): string {
  const unknown = issues.find(({ code }) => code === 'unrecognized_keys');
  return unknown === undefined ? issues.map(sentenceOf).join(', ') : sentenceOf(unknown);
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return unknownName('field', issue.keys[0] ?? '', Object.keys(sandboxRequestShape));
  return issue.path.length === 0 ? `the body ${issue.message}` : `${issue.path.map(String).join('.')} ${issue.message}`;
}
