// A flow as a HAR 1.2 log, for the tools that read such logs (REC-19). Secrets are shown as in other outputs.

import * as z from 'zod';
import { version } from '#shared/base/version.ts';
import { isDelivery, type KeptExchange } from '#shared/model/domain/exchange.ts';

const httpVersion = 'HTTP/1.1';
const notKnown = -1;
const contentComment = 'The members of the response, regardless of its format. Secrets are fingerprints.';

export function harWith(entries: readonly ReturnType<typeof harEntry>[]): object {
  return { log: { version: '1.2', creator: { name: 'test-idp', version }, entries } };
}

export function harEntry(
  { at, durationMilliseconds, method, path, status, content, ...exchange }: KeptExchange,
  baseUrl: string,
) {
  const hasNoBody = method === 'GET' || method === 'HEAD';
  // The parameters of the query come first.
  const inQuery = hasNoBody ? content.parameters.length : (content.noticed?.inQuery ?? 0);
  const [queryString, params] = [content.parameters.slice(0, inQuery), content.parameters.slice(inQuery)];
  const query = new URLSearchParams(queryString.map(({ name, value }) => [name, value]));
  const url = `${isDelivery(exchange.endpoint) ? '' : baseUrl}${path}${query.size === 0 ? '' : `?${query}`}`;
  const text = JSON.stringify(content.answer);
  const mimeType = headerOf(content.request_headers, 'content-type') ?? 'application/x-www-form-urlencoded';
  return {
    startedDateTime: new Date(at).toISOString(),
    time: durationMilliseconds,
    request: {
      ...{ method, url, httpVersion, cookies: [], headers: content.request_headers },
      queryString,
      ...(hasNoBody ? {} : { postData: { mimeType, params, text: '' } }),
      ...{ headersSize: notKnown, bodySize: notKnown },
    },
    response: {
      ...{ status, statusText: '', httpVersion, cookies: [], headers: content.response_headers },
      content: { size: Buffer.byteLength(text), mimeType: 'application/json', text, comment: contentComment },
      redirectURL: headerOf(content.response_headers, 'location') ?? '',
      ...{ headersSize: notKnown, bodySize: notKnown },
    },
    cache: {},
    timings: { send: 0, wait: durationMilliseconds, receive: 0 },
    comment: [exchange.endpoint, exchange.decision, exchange.reason].filter((part) => part !== undefined).join(': '),
  };
}

function headerOf(headers: KeptExchange['content']['request_headers'], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}

const namedTexts = z.array(z.strictObject({ name: z.string(), value: z.string() }));
const notMeasured = z.number().describe('-1 means unknown.');
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
