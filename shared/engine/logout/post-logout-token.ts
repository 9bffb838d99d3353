// One POST of a logout token (Back-Channel Logout §2.5). Redirects are not followed, and only the status of the
// response is read.

import { type OutgoingRequest, sendOnce } from '#shared/base/outgoing/send-once.ts';
import type { DeliveryAnswer } from '#shared/model/domain/logout-delivery.ts';

/** Never throws: a failure is a result without status. */
export async function postLogoutToken(
  address: string,
  token: string,
  options: Pick<OutgoingRequest, 'timeoutMilliseconds' | 'verifyTls'>,
): Promise<DeliveryAnswer> {
  const answer = await sendOnce(new URL(address), {
    ...options,
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams([['logout_token', token]]).toString(),
    answerBytesMax: 0,
  });
  return answer.status === undefined ? answer : { status: answer.status, reason: reasonOf(answer.status) };
}

function reasonOf(status: number): string | undefined {
  if (status === 200 || status === 204) return undefined;
  if (status === 400) return 'the client rejected the token';
  return status >= 300 && status < 400 ? `a redirect (${status}) is not followed` : `status ${status}`;
}
