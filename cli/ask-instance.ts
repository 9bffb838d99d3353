// Sends one request to a running instance, with node:http only. Scripts and health checks wait until the small commands
// are loaded (PKG-29).
import { readFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Question {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the start to the last byte. */
  readonly timeoutMilliseconds?: number;
  /** PEM file of an authority to trust in addition to those that Node.js trusts. */
  readonly caFile?: string | undefined;
}

/** No trusted instance responded there. The message names the address and the reason. */
export class NotReachableError extends Error {}

/** @throws NotReachableError */
export async function askInstance(url: URL, question: Question = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, timeoutMilliseconds = 10_000, caFile } = question;
  const request = url.protocol === 'https:' ? (await import('node:https')).request : requestPlain;
  const trusted = caFile === undefined ? {} : { ca: await trustedWith(caFile) };
  return new Promise((resolve) => {
    const failed = (error: Error) => {
      clearTimeout(timer);
      outgoing.destroy();
      resolve(notReachable(url.origin, error));
    };
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      url,
      { method, headers: { ...headers, ...length }, agent: false, ...trusted },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('error', failed).on('end', () => {
          clearTimeout(timer);
          resolve({ status: incoming.statusCode ?? 0, body: text });
        });
      },
    );
    const late = () => failed(new Error(`no response within ${timeoutMilliseconds / 1000} s`));
    const timer = setTimeout(late, timeoutMilliseconds);
    outgoing.on('error', failed).end(body);
  });
}

async function notReachable(origin: string, cause: Error): Promise<never> {
  const { unreachableSentence } = await import('#shared/base/unreachable.ts');
  throw new NotReachableError(unreachableSentence(origin, 'code' in cause ? String(cause.code) : cause.message), {
    cause,
  });
}

/** A file that does not exist yet adds nothing. An instance that responds then has a different authority. */
async function trustedWith(caFile: string): Promise<string[]> {
  const { rootCertificates } = await import('node:tls');
  try {
    return [...rootCertificates, readFileSync(caFile, 'utf8')];
  } catch {
    return [...rootCertificates];
  }
}
