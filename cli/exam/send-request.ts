// One request to any server that a login leads to. The response is returned whole or not at all.
import { type IncomingHttpHeaders, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { GrowingBuffer } from '#shared/base/bounded-body.ts';

interface Question {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMilliseconds: number;
  /** Certificates are not verified. */
  readonly insecure: boolean;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** No complete response arrived. */
export class NoAnswerError extends Error {
  constructor(
    readonly why: 'closed' | 'late',
    cause: Error,
  ) {
    super('code' in cause ? String(cause.code) : cause.message, { cause });
  }
}

/** More than any page has. The rest is not read. */
const bytesMax = 16 * 1024 * 1024;

/** @throws NoAnswerError, or the reason of the signal */
export function sendRequestAnywhere(url: URL, question: Question): Promise<Answer> {
  const { method, headers, body, timeoutMilliseconds, insecure, signal } = question;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      settle();
    };
    const failed = (why: 'closed' | 'late', cause: Error) => {
      finish(() => reject(new NoAnswerError(why, cause)));
      outgoing.destroy();
    };
    const aborted = () => {
      finish(() => reject(signal.reason));
      outgoing.destroy();
    };
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const request = url.protocol === 'https:' ? requestTls : requestPlain;
    const outgoing = request(
      url,
      { method, headers: { ...headers, ...length }, agent: false, rejectUnauthorized: !insecure },
      (incoming) => {
        const bytes = new GrowingBuffer();
        const done = () => {
          const { statusCode = 0, headers: answered } = incoming;
          finish(() => resolve({ status: statusCode, headers: answered, body: bytes.take().toString('utf8') }));
        };
        incoming
          .on('data', (piece: Buffer) => {
            bytes.append(piece);
            if (bytes.length <= bytesMax) return;
            done();
            outgoing.destroy();
          })
          .on('error', (error) => failed('closed', error))
          .on('end', () => {
            if (incoming.complete) done();
            else failed('closed', new Error('the connection closed before the end of the response'));
          });
      },
    );
    const timer = setTimeout(
      () => failed('late', new Error(`no response within ${timeoutMilliseconds / 1000} s`)),
      timeoutMilliseconds,
    );
    signal.addEventListener('abort', aborted, { once: true });
    outgoing.on('error', (error) => failed('closed', error)).end(body);
  });
}
