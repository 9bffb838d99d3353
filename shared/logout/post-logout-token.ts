// One POST of a logout token (Back-Channel Logout §2.5): no redirect is followed, nothing of the answer is read but its status.
import { request as requestPlain } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { DeliveryAnswer } from '#shared/domain/logout-delivery.ts';

export interface PostOptions {
  /** From the beginning to the status. */
  readonly timeoutMilliseconds: number;
  readonly verifyTls: boolean;
}

/** Never throws: what goes wrong is an answer without status. */
export function postLogoutToken(address: string, token: string, options: PostOptions): Promise<DeliveryAnswer> {
  const { timeoutMilliseconds, verifyTls } = options;
  const body = new URLSearchParams([['logout_token', token]]).toString();
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  return new Promise((resolve) => {
    const url = new URL(address);
    const common = { method: 'POST', headers, agent: false } as const;
    const outgoing =
      url.protocol === 'https:'
        ? requestSecurely(url, { ...common, rejectUnauthorized: verifyTls })
        : requestPlain(url, common);
    const settle = (answer: DeliveryAnswer) => {
      clearTimeout(late);
      resolve(answer);
      outgoing.destroy();
    };
    const late = setTimeout(
      () => settle({ status: undefined, reason: `no answer within ${timeoutMilliseconds} ms` }),
      timeoutMilliseconds,
    );
    outgoing.once('response', ({ statusCode = 0 }) => settle({ status: statusCode, reason: reasonOf(statusCode) }));
    outgoing.on('error', (error) => {
      settle({ status: undefined, reason: 'code' in error ? String(error.code) : error.message });
    });
    outgoing.end(body);
  });
}

function reasonOf(status: number): string | undefined {
  if (status === 200 || status === 204) return undefined;
  if (status === 400) return 'the client refused the token';
  return status >= 300 && status < 400 ? `a redirect (${status}) is not followed` : `status ${status}`;
}
