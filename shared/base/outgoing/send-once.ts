// One HTTP request that this server makes. It follows no redirect, and the duration and the bytes read of the response
// are limited.
import { type IncomingHttpHeaders, request as requestPlain } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { readBounded } from '#shared/base/bounded-body.ts';
import { pinnedLookup } from './allowed-address.ts';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Measured from the start to the last byte of the response that is read. */
  readonly timeoutMilliseconds: number;
  readonly verifyTls: boolean;
  /** The only address that may be connected to (allowed-address.ts). undefined: any address of the name. */
  readonly address?: string;
  /** 0: reads only the head of the response. */
  readonly answerBytesMax: number;
}

export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Why there is no response, as text for people. */
export interface NoResponse {
  readonly status: undefined;
  readonly reason: string;
}

/** Never throws. Failures are returned as a response without status. `url` is http or https. */
export function sendOnce(url: URL, sent: OutgoingRequest): Promise<OutgoingAnswer | NoResponse> {
  const { method, body = '', timeoutMilliseconds, verifyTls, address, answerBytesMax } = sent;
  const length = method === 'POST' ? { 'Content-Length': String(Buffer.byteLength(body)) } : {};
  const headers = { ...sent.headers, ...length, Connection: 'close' };
  const pinned = address === undefined ? {} : { lookup: pinnedLookup(address) };
  const common = { method, headers, agent: false, ...pinned } as const;
  return new Promise((resolve) => {
    const outgoing =
      url.protocol === 'https:'
        ? requestSecurely(url, { ...common, rejectUnauthorized: verifyTls })
        : requestPlain(url, common);
    const settle = (answer: OutgoingAnswer | NoResponse) => {
      clearTimeout(late);
      resolve(answer);
      outgoing.destroy();
    };
    const fail = (reason: string) => settle({ status: undefined, reason });
    const late = setTimeout(() => fail(`no response within ${timeoutMilliseconds} ms`), timeoutMilliseconds);
    // Several errors may be emitted: aborting the request at the end causes another one.
    outgoing.on('error', (error) => fail('code' in error ? String(error.code) : error.message));
    outgoing.once('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      if (answerBytesMax === 0) return settle({ status, headers, body: Buffer.alloc(0) });
      readBounded(response, { bytesMax: answerBytesMax }).then(
        ({ body, refusal }) => {
          if (refusal === undefined) settle({ status, headers, body });
          else if (refusal === 'too_large') fail(`the response is larger than ${answerBytesMax} bytes`);
          else fail('the response arrives in too many small pieces');
        },
        () => fail('the connection closed before the end of the response'),
      );
    });
    outgoing.end(body);
  });
}
