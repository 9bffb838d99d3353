// Rejections by /api/sandboxes.
import { sandboxesMax } from '#shared/model/domain/sandbox.ts';
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';
import { invalid, nameTaken, notFound } from '../wordings.ts';

export const sandboxRefusals = declareApiRefusals({
  sandbox_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: `${notFound('sandbox')} Sandboxes expire.`,
    expected: 'The name of an existing sandbox.',
  },
  sandbox_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => invalid('sandbox', problem),
    expected: 'A JSON object with any of name, ttl_seconds, settings and keys, or no body.',
  },
  sandbox_exists: {
    ...inRestApi,
    status: 409,
    kind: 'exists',
    answer: nameTaken('sandbox'),
    expected: 'A name that no other sandbox has.',
  },
  sandbox_limit: {
    ...inRestApi,
    status: 429,
    kind: 'sandbox_limit',
    answer: ({ seconds }: { seconds: number }) =>
      `The limit of ${sandboxesMax} sandboxes is reached. Delete some, or wait ${seconds} s until the next one expires.`,
    expected: `Fewer than ${sandboxesMax} sandboxes.`,
  },
});
