// /api/exams: exams of clients in progress. `test-idp exam` drives an exam from outside. The server stores its owner
// and what it created, so that everything is removed when the exam ends or its driver dies (EXM-08, EXM-10).
import * as z from 'zod';
import { aboutField } from '#shared/base/sentence.ts';
import { unknownName } from '#shared/base/unknown-name.ts';
import { endExam } from '#shared/engine/exams/end-exam.ts';
import { parseJsonBody } from '#shared/engine/exchange/json-body.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import { type ParsedRequest, type ProtocolContext, requestFacts } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import { type Exam, examSecondsMax, leaseUntil } from '#shared/model/domain/exam.ts';
import { examRefusals } from '#shared/model/refusals/families/exams.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';

const { exam_invalid, exam_not_found, exam_running, exam_limit } = examRefusals;
const { body_not_json } = managementRefusals;

const ttl = z
  .int()
  .min(1)
  .max(examSecondsMax)
  .default(60)
  .describe('Lifetime in seconds of real time, unless it is renewed.');
const named = z.string().min(1).max(2048).optional();

const orderModel = z
  .strictObject({
    client_id: named.describe('The client to examine.'),
    sp: named.describe('The service provider to examine: the Issuer of its AuthnRequests.'),
    ttl_seconds: ttl,
    moves_clock: z.boolean().default(false).describe('The exam restores the clock at its end.'),
  })
  .refine(({ client_id, sp }) => (client_id === undefined) !== (sp === undefined), 'Send either client_id or sp.');
const renewalModel = z.strictObject({ ttl_seconds: ttl });

const examModel = z
  .strictObject({
    id: z.string(),
    client_id: z.string().nullable(),
    sp: z.string().nullable(),
    username: z.string().describe('A runtime user with this name is deleted when the exam ends.'),
    moves_clock: z.boolean(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Exam' });

export const examsApiRoutes: readonly Route[] = [
  {
    path: '/api/exams',
    audience: 'api',
    methods: { GET: listExams, POST: beginExam },
    operations: {
      GET: {
        id: 'listExams',
        summary: 'Lists the running exams.',
        answers: { 200: z.strictObject({ exams: z.array(examModel), count: z.int().min(0) }) },
      },
      POST: {
        id: 'beginExam',
        summary: 'Starts an exam of a client. A client can have only one exam at a time.',
        body: orderModel,
        answers: { 201: examModel },
        refusals: [body_not_json, exam_invalid, exam_running, exam_limit],
      },
    },
  },
  {
    path: '/api/exams/:id',
    audience: 'api',
    methods: { PUT: renewExam, DELETE: deleteExam },
    operations: {
      PUT: {
        id: 'renewExam',
        summary: 'Renews an exam.',
        body: renewalModel,
        answers: { 200: examModel },
        refusals: [body_not_json, exam_invalid, exam_not_found],
      },
      DELETE: {
        id: 'endExam',
        summary: 'Ends an exam, deletes its user and faults, and restores the clock.',
        answers: { 200: z.strictObject({ deleted: z.string() }) },
        refusals: [exam_not_found],
      },
    },
  },
];

async function listExams(_request: ParsedRequest, { store, clock }: ProtocolContext): Promise<Reply> {
  const exams = (await store.exams.list(clock.real())).map(shownExam);
  return json(200, { exams, count: exams.length });
}

async function beginExam(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { store, clock, random } = context;
  const { client_id, sp, ttl_seconds, moves_clock } = read(orderModel, request);
  const real = clock.real();
  // Expired exams end first: they may still have to restore the clock.
  for (const over of await store.exams.expired(real)) await endExam(over, {}, context);
  const drawn = random.token(9);
  const exam: Exam = {
    id: `exam-${drawn}`,
    subject:
      client_id === undefined ? { kind: 'service_provider', name: sp ?? '' } : { kind: 'client', name: client_id },
    username: `exam-${drawn.toLowerCase().replaceAll(/[^a-z0-9]/g, '0')}`,
    clock: moves_clock ? store.clock.state() : undefined,
    begunAt: real,
    heldUntil: leaseUntil(real, ttl_seconds),
  };
  const begun = await store.exams.begin(exam, real);
  if (begun === 'limit') throw apiError(exam_limit);
  if (begun === 'begun') return json(201, shownExam(exam));
  const { subject, begunAt } = begun;
  throw apiError(exam_running, { problem: `of ${subject.name}, begun at ${new Date(begunAt).toISOString()}` });
}

async function renewExam(request: ParsedRequest, { store, clock }: ProtocolContext): Promise<Reply> {
  const { ttl_seconds } = read(renewalModel, request);
  const real = clock.real();
  const exam = await store.exams.renew(idOf(request), real, leaseUntil(real, ttl_seconds));
  if (exam === undefined) throw apiError(exam_not_found);
  return json(200, shownExam(exam));
}

async function deleteExam(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const id = idOf(request);
  const exam = await context.store.exams.find(id);
  const ender = { ...requestFacts(request, context), endpoint: `/api/exams/${id}` };
  if (exam === undefined || !(await endExam(exam, ender, context))) throw apiError(exam_not_found);
  return json(200, { deleted: id });
}

function read<Model extends z.ZodObject>(model: Model, request: ParsedRequest): z.output<Model> {
  const parsed = model.safeParse(parseJsonBody(request) ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    throw apiError(exam_invalid, { problem: unknownName('field', issue.keys[0] ?? '', Object.keys(model.shape)) });
  }
  const where = issue?.path.map(String).join('.') ?? '';
  throw apiError(exam_invalid, {
    problem: where === '' ? `${issue?.message}` : aboutField(where, `${issue?.message}`),
  });
}

function idOf({ pathParameters }: ParsedRequest): string {
  return pathParameters.id ?? '';
}

function shownExam({ id, subject, username, clock, begunAt, heldUntil }: Exam): z.output<typeof examModel> {
  return {
    id,
    client_id: subject.kind === 'client' ? subject.name : null,
    sp: subject.kind === 'service_provider' ? subject.name : null,
    username,
    moves_clock: clock !== undefined,
    created_at: new Date(begunAt).toISOString(),
    expires_at: new Date(heldUntil).toISOString(),
  };
}
