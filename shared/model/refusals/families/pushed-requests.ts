// Rejections by /par (RFC 9126 §2.3). An invalid authorization request is rejected as at /authorize.
import { pushedRequestBytesMax, waitingRequestsMax } from '#shared/model/domain/pushed-request.ts';
import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { bytesText } from '../quantities.ts';
import { docs, rfc } from '../references.ts';
import { tooLarge } from '../wordings.ts';

export const pushedRequestRefusals = declareOAuthRefusals({
  request_uri_pushed: {
    error: 'invalid_request',
    answer: 'The parameter request_uri cannot be pushed. Send the parameters of the request instead.',
    expected: 'The parameters of an authorization request.',
    standard: rfc(9126, '2.1'),
  },
  pushed_request_too_long: {
    error: 'invalid_request',
    status: 413,
    answer: tooLarge('The pushed authorization request', pushedRequestBytesMax),
    expected: `A request of at most ${bytesText(pushedRequestBytesMax)}.`,
    standard: rfc(9126, '2.3'),
  },
  too_many_pushed_requests: {
    error: 'temporarily_unavailable',
    status: 503,
    answer: 'Too many pushed requests are waiting to be used. Try again later.',
    expected: `At most ${waitingRequestsMax} unused pushed requests.`,
    standard: docs('settings.md#oauth'),
  },
});
