// Rejections by /api/faults.
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';

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
    answer: ({ problem }: Problem) => `The fault is not acceptable: ${problem}.`,
    expected: 'A JSON object of fault, at, when, times, parameters, ttl_seconds and quiet, fault alone demanded.',
  },
  fault_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: 'There is no fault of that id.',
    expected: 'The id of a fault that GET /api/faults lists.',
  },
  fault_declared: {
    ...inRestApi,
    status: 409,
    kind: 'declared',
    answer:
      'Settings declare this fault: take it out of settings.yaml and reload, or make the sandbox that has it in its settings again without it.',
    expected: 'The id of a fault that was set at run time.',
  },
  fault_limit: {
    ...inRestApi,
    status: 429,
    kind: 'fault_limit',
    answer: '1000 faults are set that may still fire; delete some first.',
    expected: 'Fewer than 1000 faults at a time.',
  },
});
