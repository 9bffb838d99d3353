// Rejections on any path, before its endpoint runs or because the endpoint cannot run. The response is JSON, or a page
// for a browser on a page's path.
import { smallPieces } from '#shared/base/small-pieces.ts';
import { docs, rfc } from '../references.ts';
import { declareRefusals, type RefusalRow } from '../refusal.ts';

export interface HttpRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly status: number;
  readonly error: string;
}

const inTheWay = { standard: docs('errors.md#every-surface') } as const;

/** By the kind of `ConfigurationUnavailableError`. */
const observationSentences = {
  lock_timeout: 'The configuration directory is locked by another process; try again.',
  freshness_in_progress: 'Another request is reading the configuration; try again.',
  lock_unsupported: 'The configuration directory lies on a filesystem without usable locks.',
};

function declareHttpRefusals<const Table extends Readonly<Record<string, HttpRefusalRow>>>(table: Table) {
  return declareRefusals<HttpRefusalRow, Table>(table);
}

export const httpRefusals = declareHttpRefusals({
  several_hosts: {
    status: 400,
    error: 'invalid_request',
    answer: 'The request has several Host headers; send one.',
    expected: 'One Host header.',
    standard: rfc(9112, '3.2'),
  },
  several_authorizations: {
    status: 400,
    error: 'invalid_request',
    answer: 'The request has several Authorization headers; send one.',
    expected: 'One Authorization header.',
    standard: rfc(9110, '5.3'),
  },
  https_required: {
    status: 400,
    error: 'https_required',
    answer: 'This port speaks TLS.',
    expected: 'A request over https; plain HTTP is answered for health and /ca.pem alone (docs/guides/tls.md).',
    standard: rfc(9110, '4.2.2'),
  },
  path_unknown: {
    status: 404,
    error: 'not_found',
    answer: 'There is nothing at this address.',
    expected: 'A path that this server has; discovery, SAML metadata and the README name them.',
    standard: rfc(9110, '15.5.5'),
  },
  sandbox_unknown: {
    status: 404,
    error: 'unknown_sandbox',
    answer: ({ which }: { which: string }) =>
      `There is no sandbox of ${which}. Sandboxes expire: make it again with POST /api/sandboxes.`,
    expected: 'The name of a sandbox that GET /api/sandboxes lists.',
    standard: rfc(9110, '15.5.5'),
  },
  method_not_allowed: {
    status: 405,
    error: 'method_not_allowed',
    answer: ({ method, allow, setting }: { method: string; allow: string; setting: string | undefined }) =>
      `${method} is not served here${setting === undefined ? '' : ` while ${setting} is off`}; allowed: ${allow}.`,
    expected: 'A method that the header Allow of the answer names.',
    standard: rfc(9110, '15.5.6'),
  },
  payload_too_large: {
    status: 413,
    error: 'payload_too_large',
    answer: 'The body is larger than 1 MiB.',
    expected: 'A body of 1 MiB at most.',
    standard: rfc(9110, '15.5.14'),
  },
  payload_in_small_pieces: {
    status: 400,
    error: 'payload_in_small_pieces',
    answer: `The body arrives in more than ${smallPieces.countMax} pieces of less than ${smallPieces.bytesBelow} bytes; send larger chunks.`,
    expected: 'A body in larger chunks.',
    standard: rfc(9112, '7.1'),
  },
  body_coded: {
    status: 415,
    error: 'unsupported_media_type',
    answer: 'The body has a Content-Encoding, which is not read here; send it without.',
    expected: 'A body without content coding.',
    standard: rfc(9110, '15.5.16'),
  },
  rate_limit_exceeded: {
    status: 429,
    error: 'rate_limit_exceeded',
    answer: ({ limit, windowSeconds, wait }: { limit: number; windowSeconds: number; wait: number }) =>
      `More than ${limit} requests in ${windowSeconds} s; try again in ${wait} s.`,
    expected: 'No more requests than server.rate_limit_token_endpoint allows, while the rate limit is enabled.',
    standard: rfc(6585, '4'),
  },
  large_reads_busy: {
    ...inTheWay,
    status: 503,
    error: 'large_reads_busy',
    answer:
      'As many large answers as may be sent at a time wait for clients that do not read theirs. Try again in a few seconds, and read each answer to its end.',
    expected:
      'At most 16 streamed lists and exports, and 4 pages and verdicts, under way in a process, each read by its client.',
  },
  runtime_store_unavailable: {
    ...inTheWay,
    status: 503,
    error: 'runtime_store_unavailable',
    answer: 'The runtime store is busy or cannot be written to; try again.',
    expected: 'A runtime store that nobody holds for longer than 5 seconds, on a disk with room.',
  },
  configuration_unavailable: {
    ...inTheWay,
    status: 503,
    error: 'configuration_unavailable',
    answer: ({ kind }: { kind: keyof typeof observationSentences }) => observationSentences[kind],
    expected: 'A configuration directory that no other process holds.',
  },
  configuration_not_activated: {
    ...inTheWay,
    status: 503,
    error: 'configuration_unavailable',
    answer: 'The configuration files cannot be read or activated; try again.',
    expected: 'Files that can be read and activated, so that it can be told which names they declare.',
  },
  configuration_unloadable: {
    ...inTheWay,
    status: 503,
    error: 'configuration_unloadable',
    answer: 'The configuration files do not load, so it cannot be told which names they declare.',
    expected: 'Files that load.',
  },
  server_error: {
    ...inTheWay,
    status: 500,
    error: 'server_error',
    answer: ({ requestId }: { requestId: string }) =>
      `Something unexpected went wrong; the log of the server has it under request id ${requestId}.`,
    expected: 'No fault: the log says which it is.',
  },
});
