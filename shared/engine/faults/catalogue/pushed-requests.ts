// Faults of pushed authorization requests (FLS-12 to FLS-16).
import * as z from 'zod';
import { json } from '#shared/engine/exchange/reply.ts';
import { type FaultRow, faultRow } from '../fault-row.ts';
import { withoutMember } from '../json-changes.ts';

const at = ['pushed_authorization_request'] as const;

export const pushedRequestFaults: readonly FaultRow[] = [
  faultRow({
    at,
    id: 'FLS-12',
    name: 'pushed_request_refused',
    effect: 'Every pushed request is rejected with `error`.',
    phase: 'before',
    client: 'reject',
    source: 'RFC 9126 §2.3',
    parameters: {
      error: z
        .string()
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/)
        .default('invalid_request')
        .describe('The error code.'),
    },
    make: ({ error }) => ({ hookPoint: 'refusal', error, description: 'This error was requested for a test.' }),
  }),
  faultRow({
    at,
    id: 'FLS-13',
    name: 'pushed_request_unavailable',
    effect: '503 with Retry-After and `temporarily_unavailable`.',
    phase: 'before',
    client: 'recover',
    source: 'RFC 9110 §15.6.4',
    make: () => ({
      hookPoint: 'answer',
      instead: () => json(503, { error: 'temporarily_unavailable' }, { 'Retry-After': '2' }),
    }),
  }),
  faultRow({
    at,
    id: 'FLS-14',
    name: 'pushed_request_uri_missing',
    effect: 'The response has no request_uri.',
    phase: 'after',
    client: 'reject',
    source: 'RFC 9126 §2.2',
    make: () => ({ hookPoint: 'document', change: withoutMember('request_uri') }),
  }),
  faultRow({
    at,
    id: 'FLS-15',
    name: 'pushed_request_over',
    effect: 'The request_uri is already invalid when the browser presents it, despite expires_in.',
    phase: 'after',
    client: 'either',
    source: 'RFC 9126 §4',
    make: () => ({
      hookPoint: 'document',
      async change(document, { store, now }) {
        const isUsed = await store.pushedRequests.use(String(document.request_uri), 'fault', now);
        return isUsed ? { ...document } : undefined;
      },
    }),
  }),
  faultRow({
    at,
    id: 'FLS-16',
    name: 'pushed_request_status_200',
    effect: 'The correct response has the status 200 instead of 201.',
    phase: 'after',
    client: 'either',
    source: 'RFC 9126 §2.2',
    make: () => ({
      hookPoint: 'sending',
      change: (reply) => (reply.status === 201 ? { ...reply, status: 200 } : undefined),
    }),
  }),
];
