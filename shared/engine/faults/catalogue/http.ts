// Faults of the exchange itself: when, whether and in which form a response arrives (FLT-K001 to FLT-K018).
import * as z from 'zod';
import { html, json, type Reply, redirect, withHeaders } from '#shared/engine/exchange/reply.ts';
import { type FaultEndpoint, faultEndpoints } from '#shared/model/domain/fault.ts';
import { asciiUri } from '#shared/protocol/oauth2/ascii-uri.ts';
import { type FaultRow, type FaultSite, faultRow } from '../fault-row.ts';

/** The endpoints that programs request, not browsers. */
const backChannel: readonly FaultEndpoint[] = [
  'token',
  'userinfo',
  'introspect',
  'revoke',
  'device_authorization',
  'register',
  'discovery',
  'jwks',
];

const retryAfter = {
  retry_after: z.int().min(0).max(3600).default(2).describe('Value of Retry-After, in seconds.'),
};

const mebibyte = 1024 * 1024;

export const httpFaults: readonly FaultRow[] = [
  faultRow({
    id: 'FLT-K001',
    name: 'delay',
    effect: 'The first byte of the response is delayed by `ms`.',
    at: faultEndpoints,
    phase: 'after',
    client: 'accept',
    source: '(A)',
    holdsAnswer: true,
    parameters: { ms: z.int().min(1).max(60_000).default(5000).describe('Delay in milliseconds.') },
    make: ({ ms }) => ({
      hookPoint: 'sending',
      change: (reply) => ({ ...reply, delivery: { afterMilliseconds: ms } }),
    }),
  }),
  faultRow({
    id: 'FLT-K002',
    name: 'hang',
    effect: 'The server sends nothing for `seconds`, then closes the connection.',
    at: faultEndpoints,
    phase: 'before',
    client: 'recover',
    source: '(A)',
    holdsAnswer: true,
    parameters: { seconds: z.int().min(1).max(120).default(60).describe('Duration in seconds.') },
    make: ({ seconds }) => ({
      hookPoint: 'answer',
      instead: () => ({ ...json(500, {}), delivery: { afterMilliseconds: seconds * 1000, instead: 'close' } }),
    }),
  }),
  faultRow({
    id: 'FLT-K003',
    name: 'reset_connection',
    effect: 'The TCP connection is reset before the first byte.',
    at: faultEndpoints,
    phase: 'before',
    client: 'recover',
    source: 'RFC 9110 §9.2.2',
    make: () => ({ hookPoint: 'answer', instead: () => ({ ...json(500, {}), delivery: { instead: 'reset' } }) }),
  }),
  faultRow({
    id: 'FLT-K004',
    name: 'status',
    effect: 'The response has the status `status` and the error `server_error`.',
    at: faultEndpoints,
    phase: 'before',
    client: 'recover',
    source: 'RFC 9110 §15.6',
    parameters: { status: z.int().min(400).max(599).default(500).describe('Status of the response.') },
    make: ({ status }) => ({ hookPoint: 'answer', instead: () => json(status, { error: 'server_error' }) }),
  }),
  faultRow({
    id: 'FLT-K005',
    name: 'unavailable',
    effect: '503 with Retry-After and `temporarily_unavailable`.',
    at: faultEndpoints,
    phase: 'before',
    client: 'recover',
    source: 'RFC 9110 §15.6.4',
    parameters: retryAfter,
    make: ({ retry_after }) => ({
      hookPoint: 'answer',
      instead: () => json(503, { error: 'temporarily_unavailable' }, { 'Retry-After': String(retry_after) }),
    }),
  }),
  faultRow({
    id: 'FLT-K006',
    name: 'too_many_requests',
    effect: '429 with Retry-After.',
    at: faultEndpoints,
    phase: 'before',
    client: 'recover',
    source: 'RFC 6585 §4',
    parameters: retryAfter,
    make: ({ retry_after }) => ({
      hookPoint: 'answer',
      instead: () => json(429, { error: 'too_many_requests' }, { 'Retry-After': String(retry_after) }),
    }),
  }),
  faultRow({
    id: 'FLT-K007',
    name: 'truncated_body',
    effect: 'Content-Length is correct, but the connection closes after half of the body.',
    at: faultEndpoints,
    phase: 'after',
    client: 'reject',
    source: 'RFC 9112 §8',
    make: () => ({
      hookPoint: 'sending',
      change: (reply) => (bytesOf(reply) < 2 ? undefined : { ...reply, delivery: { halfOfBody: true } }),
    }),
  }),
  faultRow({
    id: 'FLT-K008',
    name: 'malformed_json',
    effect: 'The JSON lacks its last byte. Content-Length matches the shortened body.',
    at: backChannel,
    phase: 'after',
    client: 'reject',
    source: 'RFC 8259 §2',
    make: () => ({ hookPoint: 'sending', change: changedJson((text) => text.slice(0, -1)) }),
  }),
  faultRow({
    id: 'FLT-K009',
    name: 'wrong_content_type',
    effect: 'The Content-Type is `type`.',
    at: backChannel,
    phase: 'after',
    client: 'either',
    source: 'RFC 6749 §5.1',
    parameters: {
      type: z
        .string()
        .regex(/^[\x20-\x7e]{1,200}$/)
        .default('text/plain')
        .describe('Value of Content-Type.'),
    },
    make: ({ type }) => ({
      hookPoint: 'sending',
      change(reply) {
        const right = reply.headers['Content-Type'];
        return right === undefined || right === type ? undefined : withHeaders(reply, { 'Content-Type': type });
      },
    }),
  }),
  faultRow({
    id: 'FLT-K010',
    name: 'empty_body',
    effect: 'The status and headers are correct, but the body is empty.',
    at: backChannel,
    phase: 'after',
    client: 'reject',
    source: 'RFC 6749 §5.1',
    make: () => ({
      hookPoint: 'sending',
      change: (reply) => (bytesOf(reply) === 0 ? undefined : { ...reply, body: '' }),
    }),
  }),
  faultRow({
    id: 'FLT-K011',
    name: 'html_error_page',
    effect: 'The response is the HTML 502 page of a gateway.',
    at: faultEndpoints,
    phase: 'before',
    client: 'recover',
    source: '(A)',
    make: () => ({
      hookPoint: 'answer',
      instead: () =>
        html(
          502,
          '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>gateway</body></html>\n',
        ),
    }),
  }),
  faultRow({
    id: 'FLT-K012',
    name: 'redirect_answer',
    effect: 'The response is a redirect to the start page of the issuer.',
    at: backChannel,
    phase: 'before',
    client: 'reject',
    source: 'OIDC Discovery §4.2',
    make: () => ({ hookPoint: 'answer', instead: ({ baseUrl }: FaultSite) => redirect(asciiUri(`${baseUrl}/`)) }),
  }),
  faultRow({
    id: 'FLT-K013',
    name: 'slow_drip',
    effect: 'The correct body arrives at `bytes_per_second`.',
    at: faultEndpoints,
    phase: 'after',
    client: 'accept',
    source: '(A)',
    holdsAnswer: true,
    parameters: {
      bytes_per_second: z.int().min(1).max(10_000).default(50).describe('Speed of the body.'),
    },
    make: ({ bytes_per_second }) => ({
      hookPoint: 'sending',
      change: (reply) =>
        bytesOf(reply) === 0 ? undefined : { ...reply, delivery: { bytesPerSecond: bytes_per_second } },
    }),
  }),
  faultRow({
    id: 'FLT-K014',
    name: 'wrong_content_length',
    effect: 'Content-Length is 10 bytes too small, and the connection closes.',
    at: faultEndpoints,
    phase: 'after',
    client: 'reject',
    source: 'RFC 9110 §8.6',
    make: () => ({
      hookPoint: 'sending',
      change: (reply) => (bytesOf(reply) < 10 ? undefined : { ...reply, delivery: { uncountedBytes: 10 } }),
    }),
  }),
  faultRow({
    id: 'FLT-K015',
    name: 'huge_body',
    effect: 'The correct JSON is followed by white space up to `bytes`.',
    at: backChannel,
    phase: 'after',
    client: 'either',
    source: '(A)',
    parameters: {
      bytes: z
        .int()
        .min(1)
        .max(100 * mebibyte)
        .default(10 * mebibyte)
        .describe('Length of the whole body.'),
    },
    make: ({ bytes }) => ({
      hookPoint: 'sending',
      change: (reply) => {
        if (!isJson(reply) || bytesOf(reply) >= bytes) return undefined;
        const right = Buffer.from(reply.body);
        const body = Buffer.alloc(bytes, ' ');
        right.copy(body);
        return { ...reply, body };
      },
    }),
  }),
  faultRow({
    id: 'FLT-K016',
    name: 'broken_gzip',
    effect: 'The uncompressed body is labelled `Content-Encoding: gzip`.',
    at: backChannel,
    phase: 'after',
    client: 'reject',
    source: 'RFC 9110 §8.4',
    make: () => ({
      hookPoint: 'sending',
      change: (reply) => (bytesOf(reply) === 0 ? undefined : withHeaders(reply, { 'Content-Encoding': 'gzip' })),
    }),
  }),
  faultRow({
    id: 'FLT-K017',
    name: 'cacheable_answer',
    effect: 'The response has `Cache-Control: public, max-age=3600` and no Pragma.',
    at: ['token', 'userinfo', 'introspect'],
    phase: 'after',
    client: 'accept',
    source: 'RFC 6749 §5.1',
    make: () => ({
      hookPoint: 'sending',
      change: (reply) => ({
        ...withHeaders(reply, { 'Cache-Control': 'public, max-age=3600' }),
        noStore: false,
      }),
    }),
  }),
  faultRow({
    id: 'FLT-K018',
    name: 'duplicate_members',
    effect: 'Every JSON member occurs twice, the first time with the value "first".',
    at: backChannel,
    phase: 'after',
    client: 'either',
    source: 'RFC 8259 §4',
    make: () => ({ hookPoint: 'sending', change: changedJson(withDoubledMembers) }),
  }),
];

function bytesOf({ body }: Reply): number {
  return Buffer.byteLength(body);
}

function isJson({ headers, body }: Reply): boolean {
  return headers['Content-Type'] === 'application/json' && body.length > 0;
}

function changedJson(change: (text: string) => string) {
  return (reply: Reply): Reply | undefined =>
    isJson(reply) ? { ...reply, body: change(Buffer.from(reply.body).toString('utf8')) } : undefined;
}

function withDoubledMembers(text: string): string {
  const members = Object.entries(z.record(z.string(), z.unknown()).parse(JSON.parse(text)));
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:"first",${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
}
