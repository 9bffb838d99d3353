// Rejections by /api/sandboxes.
import { sandboxesMax } from '#shared/model/domain/sandbox.ts';
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';

export const sandboxRefusals = declareApiRefusals({
  sandbox_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: 'There is no sandbox of that name. Sandboxes expire.',
    expected: 'The name of a sandbox that lives.',
  },
  sandbox_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => `The sandbox is not acceptable: ${problem}.`,
    expected: 'A JSON object with name, ttl_seconds, settings and keys, each of them optional, or no body.',
  },
  sandbox_exists: {
    ...inRestApi,
    status: 409,
    kind: 'exists',
    answer: 'There is a sandbox of that name already.',
    expected: 'A name that no other sandbox has.',
  },
  sandbox_limit: {
    ...inRestApi,
    status: 429,
    kind: 'sandbox_limit',
    answer: ({ seconds }: { seconds: number }) =>
      `${sandboxesMax} sandboxes live; delete some, or wait ${seconds} s until the next one expires.`,
    expected: `Fewer than ${sandboxesMax} sandboxes.`,
  },
});
