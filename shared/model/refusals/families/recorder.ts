// Rejections by /api/exchanges, /api/flows, /api/recorder and /api/expect.
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';
import { invalid, notFound } from '../wordings.ts';

/** Maximum waiting at a time in a namespace. */
export const expectationsMax = 100;

interface Problem {
  readonly problem: string;
}

export const recorderRefusals = declareApiRefusals({
  recorder_request_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: Problem) => invalid('request', problem),
    expected: 'Fields and parameters as docs/rest.md lists them.',
  },
  exchange_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: `${notFound('exchange')} The recorder keeps only the newest ones.`,
    expected: 'The id of an exchange that GET /api/exchanges lists.',
  },
  flow_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: `${notFound('flow')} The recorder keeps only the newest ones.`,
    expected: 'The id of a flow that GET /api/flows lists.',
  },
  secrets_not_kept: {
    ...inRestApi,
    status: 409,
    kind: 'not_kept',
    answer:
      'The secrets of this exchange were not stored. Set recorder.secrets: keep in settings.yaml, and repeat the request.',
    expected: 'An exchange recorded while recorder.secrets is keep.',
  },
  recorder_off: {
    ...inRestApi,
    status: 409,
    kind: 'recorder_off',
    answer: 'The recorder is off. Turn it on with recorder.enabled, or with PUT /api/recorder and {"enabled": true}.',
    expected: 'A recorder that is on.',
  },
  expect_limit: {
    ...inRestApi,
    status: 429,
    kind: 'expect_limit',
    headers: { 'Retry-After': '1' },
    answer: `${expectationsMax} expectations are already waiting. Wait until some of them end.`,
    expected: `At most ${expectationsMax} waiting expectations in the default identity provider and in each sandbox.`,
  },
  verdict_cut_short: {
    ...inRestApi,
    status: 503,
    kind: 'stopping',
    headers: { 'Retry-After': '1' },
    answer: 'The server is stopping, so the verdict was cancelled.',
    expected: 'A server that is not stopping.',
  },
  expect_cut_short: {
    ...inRestApi,
    status: 503,
    kind: 'stopping',
    headers: { 'Retry-After': '1' },
    answer: 'The server is stopping, so the expectation was cancelled.',
    expected: 'A server that is not stopping.',
  },
});
