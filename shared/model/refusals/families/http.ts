// Rejections on any path, before its endpoint runs or because the endpoint cannot run. The response is JSON, or a page
// for a browser on a page's path.
import { requestBytesMax } from '#shared/base/small-pieces.ts';
import { storeDeadlineMilliseconds } from '#shared/model/runtime-store/store-deadline.ts';
import { bytesText, secondsText } from '../quantities.ts';
import { docs, rfc } from '../references.ts';
import { declareRefusals, type RefusalRow } from '../refusal.ts';
import { bodyInSmallPieces, lockedByAnotherProcess, lockUnsupported, tooLarge } from '../wordings.ts';

export interface HttpRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly status: number;
  readonly error: string;
}

const inTheWay = { standard: docs('errors.md#every-surface') } as const;

/** By the kind of `ConfigurationUnavailableError`. */
const observationSentences = {
  lock_timeout: `${lockedByAnotherProcess('configuration')} Try again in a few seconds.`,
  freshness_in_progress: 'Another request is reading the configuration. Try again.',
  lock_unsupported: lockUnsupported('configuration'),
};

function declareHttpRefusals<const Table extends Readonly<Record<string, HttpRefusalRow>>>(table: Table) {
  return declareRefusals<HttpRefusalRow, Table>(table);
}

export const httpRefusals = declareHttpRefusals({
  several_hosts: {
    status: 400,
    error: 'invalid_request',
    answer: 'The request has several Host headers. Send one.',
    expected: 'One Host header.',
    standard: rfc(9112, '3.2'),
  },
  several_authorizations: {
    status: 400,
    error: 'invalid_request',
    answer: 'The request has several Authorization headers. Send one.',
    expected: 'One Authorization header.',
    standard: rfc(9110, '5.3'),
  },
  https_required: {
    status: 400,
    error: 'https_required',
    answer: 'This port serves HTTPS. Send the request to https.',
    expected: 'A request over https. Plain HTTP works only for /health and /ca.pem (docs/guides/tls.md).',
    standard: rfc(9110, '4.2.2'),
  },
  path_unknown: {
    status: 404,
    error: 'not_found',
    answer: 'This address does not exist.',
    expected: 'A path of this server, as discovery, SAML metadata and the README list them.',
    standard: rfc(9110, '15.5.5'),
  },
  sandbox_unknown: {
    status: 404,
    error: 'unknown_sandbox',
    answer: ({ which }: { which: string }) =>
      `The sandbox of ${which} does not exist. Sandboxes expire. Create it again with POST /api/sandboxes.`,
    expected: 'The name of a sandbox that GET /api/sandboxes lists.',
    standard: rfc(9110, '15.5.5'),
  },
  method_not_allowed: {
    status: 405,
    error: 'method_not_allowed',
    answer: ({ method, allow, setting }: { method: string; allow: string; setting: string | undefined }) =>
      `${method} is not allowed at this address${setting === undefined ? '' : ` while ${setting} is off`}. Allowed: ${allow}.`,
    expected: 'A method that the Allow header of the response lists.',
    standard: rfc(9110, '15.5.6'),
  },
  payload_too_large: {
    status: 413,
    error: 'payload_too_large',
    answer: tooLarge('The body', requestBytesMax),
    expected: `A body of at most ${bytesText(requestBytesMax)}.`,
    standard: rfc(9110, '15.5.14'),
  },
  payload_in_small_pieces: {
    status: 400,
    error: 'payload_in_small_pieces',
    answer: bodyInSmallPieces,
    expected: 'A body in larger chunks.',
    standard: rfc(9112, '7.1'),
  },
  body_coded: {
    status: 415,
    error: 'unsupported_media_type',
    answer: 'The body has a Content-Encoding, which this server does not support. Send it without.',
    expected: 'A body without Content-Encoding.',
    standard: rfc(9110, '15.5.16'),
  },
  rate_limit_exceeded: {
    status: 429,
    error: 'rate_limit_exceeded',
    answer: ({ limit, windowSeconds, wait }: { limit: number; windowSeconds: number; wait: number }) =>
      `More than ${limit} requests in ${windowSeconds} s. Try again in ${wait} s.`,
    expected: 'At most as many requests as server.rate_limit_token_endpoint allows.',
    standard: rfc(6585, '4'),
  },
  large_reads_busy: {
    ...inTheWay,
    status: 503,
    error: 'large_reads_busy',
    answer:
      'Too many large responses wait for clients to read them. Read each response to its end, and try again in a few seconds.',
    expected: 'At most 16 streamed lists and exports, and 4 pages and verdicts, at a time in a process.',
  },
  runtime_store_unavailable: {
    ...inTheWay,
    status: 503,
    error: 'runtime_store_unavailable',
    answer: 'The runtime store is busy or not writable. Try again.',
    expected: `A runtime store that no process locks for more than ${secondsText(storeDeadlineMilliseconds)}, on a disk with free space.`,
  },
  configuration_unavailable: {
    ...inTheWay,
    status: 503,
    error: 'configuration_unavailable',
    answer: ({ kind }: { kind: keyof typeof observationSentences }) => observationSentences[kind],
    expected: 'A configuration directory that no other process has locked.',
  },
  configuration_not_activated: {
    ...inTheWay,
    status: 503,
    error: 'configuration_unavailable',
    answer: 'The configuration files cannot be read or activated. Try again.',
    expected: 'Files that can be read and activated. The server checks new names against them.',
  },
  configuration_unloadable: {
    ...inTheWay,
    status: 503,
    error: 'configuration_unloadable',
    answer: 'The configuration files do not load, so the server does not know which names they declare.',
    expected: 'Files that load.',
  },
  server_error: {
    ...inTheWay,
    status: 500,
    error: 'server_error',
    answer: ({ requestId }: { requestId: string }) =>
      `An unexpected error occurred. The server log has the details under request id ${requestId}.`,
    expected: 'No error. The server log has the cause.',
  },
});
