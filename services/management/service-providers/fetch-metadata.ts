// The metadata of a service provider from an address that somebody names who may write (SPM-26): from loopback or a host of
// oauth.client_fetch, in 5 s, 1 MiB of it at most, and not by way of another host.
import type { RequestContext } from '#shared/http/request.ts';
import { isLoopbackName } from '#shared/loopback.ts';
import { sendOnce } from '#shared/outgoing/send-once.ts';
import { isAllowedHost } from '#shared/protocol/oauth2/client-id-url.ts';

const fetchMilliseconds = 5_000;
const metadataBytesMax = 1024 * 1024;
const redirectsMax = 3;

/** The text, or why there is none, in words that go on after "cannot be fetched:". */
export type FetchedMetadata = { readonly text: string } | { readonly reason: string };

export async function fetchMetadata(
  address: string,
  { snapshot, stopwatch }: Pick<RequestContext, 'snapshot' | 'stopwatch'>,
): Promise<FetchedMetadata> {
  const { client_fetch } = snapshot.settings.oauth;
  const mayBeFetched = (url: URL) =>
    /^https?:$/.test(url.protocol) &&
    (isLoopbackName(url.hostname) || isAllowedHost(placeOf(url), client_fetch.allowed_hosts));
  const asked = URL.canParse(address) ? new URL(address) : undefined;
  if (asked === undefined || !mayBeFetched(asked)) {
    return { reason: 'it is no http or https address on loopback or at a host of oauth.client_fetch.allowed_hosts' };
  }
  const begun = stopwatch.read();
  let url = asked;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const answer = await sendOnce(url, {
      method: 'GET',
      headers: { Accept: 'application/samlmetadata+xml, application/xml, text/xml, */*;q=0.1' },
      timeoutMilliseconds: Math.max(1, Math.ceil(fetchMilliseconds - stopwatch.since(begun))),
      verifyTls: client_fetch.verify_tls,
      answerBytesMax: metadataBytesMax,
    });
    if (answer.status === undefined) return { reason: answer.reason };
    if (answer.status === 200) return { text: answer.body.toString('utf8') };
    const { location } = answer.headers;
    const isRedirect = answer.status >= 300 && answer.status < 400 && location !== undefined;
    if (!isRedirect) return { reason: `it was answered ${answer.status}` };
    if (!URL.canParse(location, url)) return { reason: 'it leads to something that is no address' };
    url = new URL(location, url);
    if (url.hostname !== asked.hostname || !mayBeFetched(url)) return { reason: 'it leads to another host' };
  }
  return { reason: `it leads on more than ${redirectsMax} times` };
}

function placeOf({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  const byDefault = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''), port: port === '' ? byDefault : Number(port) };
}
