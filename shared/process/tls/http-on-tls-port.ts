// Plain HTTP at a TLS port (TLS-09). Health and the authority's certificate are served, because clients fetch them
// before they trust the certificate. An old link redirects. Everything else is rejected unread, so that no secret that
// was sent in the clear counts.
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
    // The body is discarded. A client that waits until its body is read would otherwise never read the response.
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
