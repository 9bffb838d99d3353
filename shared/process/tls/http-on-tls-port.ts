// What is said to plain HTTP at a port that speaks TLS (TLS-09): health and the authority's certificate are answered, since
// nobody trusts the certificate before; a link of before leads on; everything else is refused unread, so that no secret
// counts that was sent in the clear.
import type { IncomingMessage, RequestListener } from 'node:http';
import { isValidHost } from '#shared/engine/exchange/origin.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { requestTarget } from '#shared/web/pipeline/incoming-request.ts';
import { sendReply } from '#shared/web/pipeline/send-reply.ts';
import { refuseSeveralHosts } from '#shared/web/pipeline/single-headers.ts';

const answeredPaths: ReadonlySet<string> = new Set(['/health', '/api/health', '/ca.pem']);

export function plainRequests(listener: RequestListener): RequestListener {
  return (request, response) => {
    response.setHeader('Connection', 'close');
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (reads && answeredPaths.has(requestTarget(request.url ?? '/').path)) return listener(request, response);
    // What comes along is not kept; a client that waits for its body to be taken would never read the answer.
    request.resume();
    const reply = (reads ? sameUnderHttps(request) : undefined) ?? json(refusal.status, { error: refusal.error });
    sendReply(response, reply, {}, { withoutBody: request.method === 'HEAD' });
  };
}

const refusal = httpRefusals.https_required;

function sameUnderHttps(request: IncomingMessage): Reply | undefined {
  const { host = '' } = request.headers;
  const { url = '' } = request;
  if (!isValidHost(host) || !url.startsWith('/') || refuseSeveralHosts({ message: request }) !== undefined)
    return undefined;
  return { status: 308, headers: { Location: `https://${host}${url}` }, body: '' };
}
