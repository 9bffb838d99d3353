// /api/faults: faults that a tester sets (section FLT). The catalogue is shared/engine/faults/catalogue.
import * as z from 'zod';
import { parseJsonBody } from '#shared/engine/exchange/json-body.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import { auditEvent, type ParsedRequest, type ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type ApiError, apiError, type Route } from '#shared/engine/exchange/route.ts';
import { faultCatalogue, faultNamed, furtherFaults } from '#shared/engine/faults/catalogue/index.ts';
import { createFault, type FaultEvent } from '#shared/engine/faults/create-fault.ts';
import { faultNameModel, faultOrderModel, problemsText } from '#shared/engine/faults/read-fault-order.ts';
import { shownFault, shownRow } from '#shared/engine/faults/show-fault.ts';
import { unknownKeyOf } from '#shared/engine/faults/unknown-key.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { conditionModel } from '#shared/model/configuration/fault-entry.ts';
import { everyFaultEndpoint, type Fault } from '#shared/model/domain/fault.ts';
import { faultRefusals } from '#shared/model/refusals/families/faults.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { rotationRefusalAnswers, rotationRefusalReply } from '../rotate-keys.ts';

const count = z.int().min(0);

const faultModel = z
  .strictObject({
    id: z.string(),
    fault: z.string(),
    at: z.array(z.enum(everyFaultEndpoint)),
    when: conditionModel,
    times: count.describe('How often it fires. 0 means no limit.'),
    remaining: count.nullable().describe('How often it can still fire. null: no limit.'),
    hits: count,
    parameters: z.record(z.string(), z.unknown()),
    quiet: z.boolean(),
    origin: z.enum(['runtime', 'declared']),
    fetches: count.optional().describe('How often the client fetched its material.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Fault' });

const rowModel = z
  .strictObject({
    name: faultNameModel.meta({ id: 'FaultName' }),
    effect: z.string(),
    at: z.array(z.enum(everyFaultEndpoint)),
    parameters: z.array(
      z.strictObject({
        name: z.string(),
        type: z.string(),
        description: z.string(),
        default: z.unknown(),
        minimum: z.number().optional(),
        maximum: z.number().optional(),
        values: z.array(z.string()).optional(),
      }),
    ),
    phase: z.string(),
    correct_client: z.string().describe('How a correct client reacts.'),
    source: z.string(),
  })
  .meta({ id: 'CatalogueRow' });

const { fault_unknown, fault_invalid, fault_limit, fault_not_found, fault_declared } = faultRefusals;

export const faultRoutes: readonly Route[] = [
  {
    path: '/api/faults',
    audience: 'api',
    methods: { GET: listFaults, POST: postFault, DELETE: deleteFaults },
    operations: {
      GET: {
        id: 'listFaults',
        summary: 'Lists the active faults, including used ones.',
        answers: { 200: z.strictObject({ faults: z.array(faultModel), count }) },
      },
      POST: {
        id: 'createFault',
        summary: 'Sets a fault.',
        body: faultOrderModel,
        answers: { 201: faultModel, ...rotationRefusalAnswers },
        refusals: [managementRefusals.body_not_json, fault_unknown, fault_invalid, fault_limit],
      },
      DELETE: {
        id: 'deleteFaults',
        summary: 'Deletes all faults that were set at run time.',
        doesMostWithout: true,
        answers: { 200: z.strictObject({ deleted: count }) },
      },
    },
  },
  {
    path: '/api/faults/catalogue',
    audience: 'api',
    methods: { GET: showCatalogue },
    operations: {
      GET: {
        id: 'showFaultCatalogue',
        summary: 'Returns the catalogue of faults.',
        answers: {
          200: z.strictObject({
            faults: z.array(rowModel),
            count: count.describe('Of `faults`.'),
            further: z
              .array(rowModel)
              .describe(
                'Additional faults of encrypted assertions, LogoutRequests, logout tokens and pushed authorization requests.',
              ),
          }),
        },
      },
    },
  },
  {
    path: '/api/faults/:id/material',
    audience: 'api',
    // A token names this address (FLT-23), so it responds on every host where tokens are issued.
    overrides: { hosts: 'every' },
    methods: { GET: showMaterial },
    operations: {
      GET: {
        id: 'showFaultMaterial',
        summary: 'Returns the resource that a faulty token or document refers to.',
        answers: {
          200: { mediaTypes: ['application/jwk-set+json', 'application/pem-certificate-chain', 'text/plain'] },
        },
        refusals: [fault_not_found],
      },
    },
  },
  {
    path: '/api/faults/:id',
    audience: 'api',
    methods: { GET: showFault, DELETE: deleteFault },
    operations: {
      GET: { id: 'showFault', summary: 'Returns a fault.', answers: { 200: faultModel }, refusals: [fault_not_found] },
      DELETE: {
        id: 'deleteFault',
        summary: 'Deletes a fault.',
        answers: { 200: z.strictObject({ deleted: z.string() }) },
        refusals: [fault_not_found, fault_declared],
      },
    },
  },
];

/** Built by the first request, because it takes a tenth of a start: each row has a JSON Schema of its parameters. */
let catalogue: Reply | undefined;

async function showCatalogue(): Promise<Reply> {
  catalogue ??= json(200, {
    ...{ faults: faultCatalogue.map(shownRow), count: faultCatalogue.length },
    further: furtherFaults.map(shownRow),
  });
  return catalogue;
}

async function listFaults(_request: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  const faults = await store.faults.list();
  return json(200, { faults: faults.map(shownFault), count: faults.length });
}

async function showFault(request: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  const fault = await store.faults.find(idOf(request));
  if (fault === undefined) throw notFound();
  return json(200, shownFault(fault));
}

async function postFault(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const creation = await createFault(parseJsonBody(request), faultEventOf(request, context), context);
  switch (creation.outcome) {
    case 'created':
      return json(201, shownFault(creation.fault));
    case 'full':
      throw apiError(faultRefusals.fault_limit);
    case 'key_not_rotatable':
      return rotationRefusalReply(creation.refusal);
    case 'refused': {
      const [problem] = creation.problems;
      const unknown = problem?.kind === 'unknown_fault';
      const sentence = problemsText(creation.problems);
      throw apiError(unknown ? faultRefusals.fault_unknown : faultRefusals.fault_invalid, { problem: sentence });
    }
  }
}

/** The keys or documents that a faulty token or document refers to (FLT-23). */
async function showMaterial(request: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  const fault = await store.faults.find(idOf(request));
  const material = fault && faultNamed(fault.fault)?.material;
  if (fault === undefined || material === undefined) throw notFound();
  await store.faults.noteFetch(fault.id);
  const { unknownKey, createdAt } = fault;
  const key = unknownKey === undefined ? undefined : unknownKeyOf(unknownKey, createdAt);
  const { mediaType, text } = material(key);
  return { status: 200, headers: { 'Content-Type': mediaType }, body: text };
}

async function deleteFault(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const id = idOf(request);
  switch (await context.store.faults.delete(id, deletionOf(request, context))) {
    case 'deleted':
      return json(200, { deleted: id });
    case 'declared':
      throw apiError(faultRefusals.fault_declared);
    case 'unknown':
      throw notFound();
  }
}

async function deleteFaults(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  return json(200, { deleted: await context.store.faults.deleteAll(deletionOf(request, context)) });
}

/** The audit event of a fault that was set or removed (FLT-30). */
export function faultEventOf(request: ParsedRequest, context: ProtocolContext): FaultEvent {
  return (event_type, { name, id }) =>
    auditEvent(request, context, {
      event_type,
      endpoint: event_type === 'fault_created' ? '/api/faults' : `/api/faults/${id}`,
      status: 'success',
      details: { name, id },
    });
}

export function deletionOf(request: ParsedRequest, context: ProtocolContext): (fault: Fault) => AuditEvent {
  const eventOf = faultEventOf(request, context);
  return ({ fault, id }) => eventOf('fault_deleted', { name: fault, id });
}

function idOf({ pathParameters }: ParsedRequest): string {
  return pathParameters.id ?? '';
}

function notFound(): ApiError {
  return apiError(faultRefusals.fault_not_found);
}
