// What a HAR 1.2 log of ours has, for the document of the REST API (REC-19, OAS-03).
import * as z from 'zod';

const namedTexts = z.array(z.strictObject({ name: z.string(), value: z.string() }));
const notMeasured = z.number().describe('-1: it is not known.');
const message = { httpVersion: z.string(), cookies: z.array(z.never()), headers: namedTexts };

const entry = z.strictObject({
  startedDateTime: z.iso.datetime(),
  time: z.number().describe('Milliseconds.'),
  request: z.strictObject({
    ...message,
    method: z.string(),
    url: z.string(),
    queryString: namedTexts,
    postData: z.strictObject({ mimeType: z.string(), params: namedTexts, text: z.string() }).optional(),
    headersSize: notMeasured,
    bodySize: notMeasured,
  }),
  response: z.strictObject({
    ...message,
    status: z.int(),
    statusText: z.string(),
    content: z.strictObject({ size: z.int(), mimeType: z.string(), text: z.string(), comment: z.string() }),
    redirectURL: z.string(),
    headersSize: notMeasured,
    bodySize: notMeasured,
  }),
  cache: z.strictObject({}),
  timings: z.strictObject({ send: z.number(), wait: z.number(), receive: z.number() }),
  comment: z.string(),
});

export const harModel = z
  .strictObject({
    log: z.strictObject({
      version: z.literal('1.2'),
      creator: z.strictObject({ name: z.string(), version: z.string() }),
      entries: z.array(entry),
    }),
  })
  .meta({ id: 'Har' });
