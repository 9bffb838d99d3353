// Faults that are OAuth errors, or close to one (FLT-K019 to FLT-K022).
import * as z from 'zod';
import { json } from '#shared/engine/exchange/reply.ts';
import { basicChallenge, tokenChallenge } from '#shared/protocol/oauth2/authorization-header.ts';
import { type FaultRow, type FaultSite, faultRow, type RefusalForm } from '../fault-row.ts';

export const oauthErrorFaults: readonly FaultRow[] = [
  faultRow({
    id: 'FLT-K019',
    name: 'oauth_error',
    effect: 'The endpoint returns an error response with `error` and `error_description`.',
    at: ['authorize', 'token', 'userinfo', 'introspect', 'revoke', 'device_authorization', 'register'],
    phase: 'before',
    client: 'reject',
    source: 'RFC 6749 §4.1.2.1, §5.2',
    parameters: {
      error: z
        .string()
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/)
        .default('server_error')
        .describe('The error code.'),
      error_description: z
        .string()
        .regex(/^[\x20\x21\x23-\x5b\x5d-\x7e]{0,1000}$/)
        .default('This error was requested for a test.')
        .describe('The error_description.'),
    },
    make: ({ error, error_description }) => ({
      hookPoint: 'refusal',
      error,
      description: error_description,
      form: (site) => formOf(error, site),
    }),
  }),
  faultRow({
    id: 'FLT-K020',
    name: 'oauth_error_with_200',
    effect: 'The response is `invalid_grant` with the status 200.',
    at: ['token', 'device_authorization', 'register'],
    phase: 'before',
    client: 'reject',
    source: 'RFC 6749 §5.2',
    make: () => ({ hookPoint: 'answer', instead: () => json(200, { error: 'invalid_grant' }) }),
  }),
  faultRow({
    id: 'FLT-K021',
    name: 'nonstandard_error',
    effect: "The response is a 400 whose error does not have OAuth's form.",
    at: ['token', 'userinfo', 'register'],
    phase: 'before',
    client: 'reject',
    source: 'RFC 6749 §5.2',
    make: () => ({
      hookPoint: 'answer',
      instead: () => json(400, { errors: [{ code: 'E1', message: 'This error was requested for a test.' }] }),
    }),
  }),
  faultRow({
    id: 'FLT-K022',
    name: 'error_as_form',
    effect: 'The response is a 400 with `invalid_grant` in a form-encoded body.',
    at: ['token'],
    phase: 'before',
    client: 'reject',
    source: 'RFC 6749 §5.2',
    make: () => ({
      hookPoint: 'answer',
      instead: () => ({
        status: 400,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'error=invalid_grant',
      }),
    }),
  }),
];

/** The form in which the endpoint returns this error: its status and challenge (RFC 6749 §5.2, RFC 6750 §3). */
function formOf(error: string, { endpoint, issuer, facts }: FaultSite): RefusalForm {
  if (endpoint === 'userinfo') {
    const status = error === 'invalid_token' ? 401 : error === 'insufficient_scope' ? 403 : 400;
    return { status, headers: { 'WWW-Authenticate': tokenChallenge(error, facts.scheme) } };
  }
  return error === 'invalid_client' && endpoint !== 'register'
    ? { status: 401, headers: { 'WWW-Authenticate': basicChallenge(issuer) } }
    : { status: 400 };
}
