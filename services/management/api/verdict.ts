// /api/verdict: mistakes of clients, even in requests that succeeded (VER-01, VER-08, VER-11).
import * as z from 'zod';
import type { Parameters } from '#shared/base/parameters.ts';
import { oneAtATime } from '#shared/base/scheduling/one-at-a-time.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import { isRecorderOn } from '#shared/engine/recorder/is-recorder-on.ts';
import { fails } from '#shared/engine/verdict/judge.ts';
import { isAboutOne, readVerdicts, type Verdict, type VerdictQuestion } from '#shared/engine/verdict/read-verdict.ts';
import { verdictModel, verdictsModel } from '#shared/engine/verdict/show-verdict.ts';
import { verdictFormatNames, verdictFormats } from '#shared/engine/verdict/verdict-formats.ts';
import { type Severity, severities } from '#shared/engine/verdict/verdict-rule.ts';
import { recorderRefusals } from '#shared/model/refusals/families/recorder.ts';
import { judgedBy } from '../judged-by.ts';
import { invalid, numbered } from './recorder.ts';

const { recorder_off, recorder_request_invalid, verdict_cut_short } = recorderRefusals;

const answer = {
  model: z.union([verdictModel, verdictsModel]),
  mediaTypes: verdictFormatNames.filter((name) => name !== 'json').map((name) => verdictFormats[name].mediaType),
};

const parameters = {
  client_id: z.string(),
  sp: z.string().describe('Issuer of SAML requests.'),
  flow: z.string().describe('The id of a flow.'),
  after: z.string().describe('A cursor. Judges only exchanges recorded later.'),
  format: z.enum(verdictFormatNames).default('json'),
  fail_on: z.enum(severities).describe('Returns 409 for a verdict of this severity or worse, or without exchanges.'),
};

export const verdictApiRoutes: readonly Route[] = [
  {
    path: '/api/verdict',
    audience: 'api',
    largeRead: 'whole',
    methods: { GET: showVerdict },
    operations: {
      GET: {
        id: 'showVerdict',
        summary: 'Returns the verdict on a client. Without client_id, sp and flow, returns the verdict on each client.',
        query: parameters,
        answers: { 200: answer, 409: answer },
        refusals: [recorder_request_invalid, recorder_off, verdict_cut_short],
      },
    },
  },
];

async function showVerdict({ query }: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const question = questionOf(query);
  const format = verdictFormats[oneOf(verdictFormatNames, 'format', query) ?? 'json'];
  const failOn = oneOf(severities, 'fail_on', query);
  if (!isRecorderOn(context)) throw apiError(recorder_off);
  const verdicts = await oneAtATime(() => readVerdicts(question, judgedBy(context)));
  return {
    status: failOn !== undefined && failing(verdicts, failOn) ? 409 : 200,
    headers: { 'Content-Type': withCharset(format.mediaType), 'X-Content-Type-Options': 'nosniff' },
    body: format.write(verdicts, isAboutOne(question)),
  };
}

/** The subject of a request, by the parameter names that API and page share. */
export function questionOf(query: Parameters): VerdictQuestion {
  return {
    clientId: query.value('client_id'),
    sp: query.value('sp'),
    flow: numbered(query, 'flow', 'f', 'the id of a flow'),
    after: numbered(query, 'after', '', 'a cursor'),
  };
}

function failing(verdicts: readonly Verdict[], on: Severity): boolean {
  return verdicts.length === 0 || verdicts.some(({ status }) => fails(status, on));
}

function withCharset(mediaType: string): string {
  return mediaType === 'text/plain' ? `${mediaType}; charset=utf-8` : mediaType;
}

function oneOf<Name extends string>(names: readonly Name[], parameter: string, query: Parameters): Name | undefined {
  const sent = query.first(parameter);
  const found = names.find((name) => name === sent);
  if (found === undefined && sent !== undefined) throw invalid(`${parameter} must be one of ${names.join(', ')}`);
  return found;
}
