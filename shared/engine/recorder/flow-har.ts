// A flow as a HAR 1.2 log, for the tools that read such logs (REC-19). Secrets stand as they do elsewhere.

import { version } from '#shared/base/version.ts';
import { isDelivery, type KeptExchange } from '#shared/model/domain/exchange.ts';

const httpVersion = 'HTTP/1.1';
const notKnown = -1;
const contentComment = 'The members of the answer, whatever form it had; secrets as fingerprints.';

export function harWith(entries: readonly ReturnType<typeof harEntry>[]): object {
  return { log: { version: '1.2', creator: { name: 'test-idp', version }, entries } };
}

export function harEntry(
  { at, durationMilliseconds, method, path, status, said, ...exchange }: KeptExchange,
  issuer: string,
) {
  const hasNoBody = method === 'GET' || method === 'HEAD';
  // Those of the query stand first.
  const inQuery = hasNoBody ? said.parameters.length : (said.noticed?.inQuery ?? 0);
  const [queryString, params] = [said.parameters.slice(0, inQuery), said.parameters.slice(inQuery)];
  const query = new URLSearchParams(queryString.map(({ name, value }) => [name, value]));
  const url = `${isDelivery(exchange.endpoint) ? '' : issuer}${path}${query.size === 0 ? '' : `?${query}`}`;
  const text = JSON.stringify(said.answer);
  const mimeType = headerOf(said.request_headers, 'content-type') ?? 'application/x-www-form-urlencoded';
  return {
    startedDateTime: new Date(at).toISOString(),
    time: durationMilliseconds,
    request: {
      ...{ method, url, httpVersion, cookies: [], headers: said.request_headers },
      queryString,
      ...(hasNoBody ? {} : { postData: { mimeType, params, text: '' } }),
      ...{ headersSize: notKnown, bodySize: notKnown },
    },
    response: {
      ...{ status, statusText: '', httpVersion, cookies: [], headers: said.response_headers },
      content: { size: Buffer.byteLength(text), mimeType: 'application/json', text, comment: contentComment },
      redirectURL: headerOf(said.response_headers, 'location') ?? '',
      ...{ headersSize: notKnown, bodySize: notKnown },
    },
    cache: {},
    timings: { send: 0, wait: durationMilliseconds, receive: 0 },
    comment: [exchange.endpoint, exchange.decision, exchange.reason].filter((part) => part !== undefined).join(': '),
  };
}

function headerOf(headers: KeptExchange['said']['request_headers'], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}
