// Rejections by /api/faults.
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';
import { invalid, notFound } from '../wordings.ts';

interface Problem {
  readonly problem: string;
}

export const faultRefusals = declareApiRefusals({
  fault_unknown: {
    ...inRestApi,
    status: 400,
    kind: 'unknown_fault',
    answer: ({ problem }: Problem) => problem,
    expected: 'The name of a fault that GET /api/faults/catalogue lists.',
  },
  fault_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: Problem) => invalid('fault', problem),
    expected: 'A JSON object with fault, and optionally at, when, times, parameters, ttl_seconds and quiet.',
  },
  fault_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: notFound('fault'),
    expected: 'The id of a fault that GET /api/faults lists.',
  },
  fault_declared: {
    ...inRestApi,
    status: 409,
    kind: 'declared',
    answer:
      'The settings declare this fault. Remove it from settings.yaml and reload, or create the sandbox again without it.',
    expected: 'The id of a fault that was set at runtime.',
  },
  fault_limit: {
    ...inRestApi,
    status: 429,
    kind: 'fault_limit',
    answer: '1000 faults are already set. Delete some first.',
    expected: 'Fewer than 1000 faults at a time.',
  },
});
