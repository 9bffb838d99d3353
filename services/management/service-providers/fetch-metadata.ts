// Fetches the metadata of a service provider from an address that a caller with write access names (SPM-26). Allowed
// are hosts of oauth.client_fetch and, while this server is bound to loopback itself, loopback. The limits are 5 s and
// 1 MiB, without a redirect to another host. A name is resolved once and checked like those of clients. Only metadata
// is returned, so that the fetch cannot read other pages of a host that a browser cannot reach.

import { bindsToLoopback, isLoopbackName } from '#shared/base/loopback.ts';
import {
  AddressRefusedError,
  allowedAddress,
  type ResolveHost,
  withinBudget,
} from '#shared/base/outgoing/allowed-address.ts';
import { type NoResponse, type OutgoingAnswer, sendOnce } from '#shared/base/outgoing/send-once.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { isAllowedHost } from '#shared/protocol/oauth2/client-id-url.ts';

const fetchMilliseconds = 5_000;
const metadataBytesMax = 1024 * 1024;
const redirectsMax = 3;

/** The text, or the reason why it is missing, worded to follow "cannot be fetched:". */
type FetchedMetadata = { readonly text: string } | { readonly reason: string };

/** `resolve`: for tests. Default: the system's resolver. */
export async function fetchMetadata(
  address: string,
  { snapshot, stopwatch, boundHost }: Pick<ProtocolContext, 'snapshot' | 'stopwatch' | 'boundHost'>,
  resolve?: ResolveHost,
): Promise<FetchedMetadata> {
  const { allowed_hosts: allowedHosts, verify_tls: verifyTls } = snapshot.settings.oauth.client_fetch;
  // A caller on another machine must not reach loopback services of this machine through this server.
  const allowLoopback = bindsToLoopback(boundHost ?? '');
  const isAdmitted = (url: URL) =>
    /^https?:$/.test(url.protocol) &&
    ((allowLoopback && isLoopbackName(url.hostname)) || isAllowedHost(placeOf(url), allowedHosts));
  const requestedUrl = URL.canParse(address) ? new URL(address) : undefined;
  if (requestedUrl === undefined || !isAdmitted(requestedUrl)) {
    const or = allowLoopback ? ' on loopback or' : '';
    return { reason: `it must be an http or https URL${or} at a host of oauth.client_fetch.allowed_hosts` };
  }
  const begun = stopwatch.read();
  let url = requestedUrl;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const timeoutMilliseconds = Math.max(1, Math.ceil(fetchMilliseconds - stopwatch.since(begun)));
    const answer = await get(url, { timeoutMilliseconds, verifyTls, allowLoopback, resolve });
    if (answer.status === undefined) return { reason: answer.reason };
    if (answer.status === 200) return metadataIn(answer.body.toString('utf8'));
    const { location } = answer.headers;
    const isRedirect = answer.status >= 300 && answer.status < 400 && location !== undefined;
    if (!isRedirect) return { reason: `the host returned ${answer.status}` };
    if (!URL.canParse(location, url)) return { reason: 'the redirect is not a URL' };
    url = new URL(location, url);
    if (url.hostname !== requestedUrl.hostname || !isAdmitted(url)) return { reason: 'it redirects to another host' };
  }
  return { reason: `it redirects more than ${redirectsMax} times` };
}

interface GetOptions {
  readonly timeoutMilliseconds: number;
  readonly verifyTls: boolean;
  readonly allowLoopback: boolean;
  readonly resolve: ResolveHost | undefined;
}

async function get(
  url: URL,
  { timeoutMilliseconds, verifyTls, allowLoopback, resolve }: GetOptions,
): Promise<OutgoingAnswer | NoResponse> {
  try {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const address = await withinBudget(allowedAddress(placeOf(url).host, { allowLoopback, resolve }), signal);
    return await sendOnce(url, {
      method: 'GET',
      headers: { Accept: 'application/samlmetadata+xml, application/xml, text/xml, */*;q=0.1' },
      ...{ timeoutMilliseconds, verifyTls, address, answerBytesMax: metadataBytesMax },
    });
  } catch (error) {
    return {
      status: undefined,
      reason: error instanceof AddressRefusedError ? error.message : 'its host is not found',
    };
  }
}

function metadataIn(text: string): FetchedMetadata {
  const isMetadata = /<(?:[\w.-]+:)?Entit(?:y|ies)Descriptor[\s>]/.test(text);
  return isMetadata ? { text } : { reason: 'the response is not SAML metadata' };
}

function placeOf({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  const byDefault = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''), port: port === '' ? byDefault : Number(port) };
}
