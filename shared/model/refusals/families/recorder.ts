// Rejections by /api/exchanges, /api/flows, /api/recorder and /api/expect.
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';

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
    answer: ({ problem }: Problem) => `The request is not acceptable: ${problem}.`,
    expected: 'Members and parameters as docs/rest.md lists them.',
  },
  exchange_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: 'There is no exchange of that id: the recorder keeps the newest ones alone.',
    expected: 'The id of an exchange that GET /api/exchanges lists.',
  },
  flow_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: 'There is no flow of that id: the recorder keeps the newest ones alone.',
    expected: 'The id of a flow that GET /api/flows lists.',
  },
  secrets_not_kept: {
    ...inRestApi,
    status: 409,
    kind: 'not_kept',
    answer: 'The secrets of this exchange were not kept: set recorder.secrets to keep in settings.yaml first.',
    expected: 'An exchange recorded while recorder.secrets is keep.',
  },
  recorder_off: {
    ...inRestApi,
    status: 409,
    kind: 'recorder_off',
    answer: 'The recorder is off; PUT /api/recorder with {"enabled": true} or recorder.enabled turns it on.',
    expected: 'A recorder that is on.',
  },
  expect_limit: {
    ...inRestApi,
    status: 429,
    kind: 'expect_limit',
    headers: { 'Retry-After': '1' },
    answer: `${expectationsMax} expectations wait in this namespace already. Wait until some of them end.`,
    expected: `At most ${expectationsMax} expectations that wait at a time, in the default identity provider and in each sandbox.`,
  },
  verdict_cut_short: {
    ...inRestApi,
    status: 503,
    kind: 'stopping',
    headers: { 'Retry-After': '1' },
    answer: 'The server is stopping and judges no client any more.',
    expected: 'A server that is not stopping.',
  },
  expect_cut_short: {
    ...inRestApi,
    status: 503,
    kind: 'stopping',
    headers: { 'Retry-After': '1' },
    answer: 'The server is stopping and waits for no exchange any more.',
    expected: 'A server that is not stopping.',
  },
});
