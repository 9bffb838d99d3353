// The error page of an authorization request without a trusted redirect URI (AUT-07). The user in front of it can do
// nothing. So it shows the client's developer what was sent and what was expected (SSO-M08).
import { bindsToLoopback, isLoopback } from '#shared/base/loopback.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import type { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import type { Refused } from '#shared/model/refusals/refusal.ts';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { renderMessagePage } from '#shared/web/pages/message-page.tsx';
import { page } from '#shared/web/pages/page-reply.ts';
import { shownReason } from './check-client.ts';

export function refusedRequestPage(
  refused: OAuthError,
  { query }: ParsedRequest,
  context: Pick<ProtocolContext, 'path' | 'recording' | 'snapshot' | 'boundHost' | 'clientAddress'>,
): Reply {
  const { error, message, status, details } = refused;
  const { path, recording, snapshot } = context;
  const reason = reasonForDeveloper(refused, context);
  const { expected, standard } = reason?.refusal ?? refused.refusal;
  const came = ['client_id', 'redirect_uri'].flatMap((name) => {
    return query.values(name).map((value) => [<code key={name}>{name}</code>, <bdi key="value">{value}</bdi>] as const);
  });
  const text = renderMessagePage({
    path,
    status,
    requestId: recording?.requestId,
    title: 'The application sent an invalid request',
    message: 'You were not logged in. Please send these details to the developers of the application.',
    children: (
      <>
        <p>
          <code>{error}</code>: {message}
        </p>
        {reason === undefined ? null : <p>{reason.reason}</p>}
        <Facts
          facts={[
            ...came,
            ...(snapshot.rules.lenientRedirectUris ? comparedWith(details) : []),
            ...(reason === undefined ? [] : checkedAgainst(reason)),
          ]}
        />
        <p>
          <strong>Expected:</strong> {expected}{' '}
          {standard.link === undefined ? null : (
            <a href={standard.link} rel="noreferrer">
              {standard.reference}
            </a>
          )}
        </p>
        <OwnLink href="/audit?failed=true">Find it in the audit log</OwnLink>
      </>
    ),
  });
  return page(status, text);
}

/**
 * Why a metadata document was rejected (MDC-01). Only for a browser on this machine: for others the page would tell what
 * this machine reaches.
 */
function reasonForDeveloper(
  refused: OAuthError,
  context: Pick<ProtocolContext, 'snapshot' | 'boundHost' | 'clientAddress'>,
): Refused | undefined {
  const isLocal = bindsToLoopback(context.boundHost ?? '') && isLoopback(context.clientAddress ?? '');
  return isLocal && refused.refusal === authorizeRefusals.metadata_document_refused
    ? shownReason(refused, context)
    : undefined;
}

function checkedAgainst({ details }: Refused) {
  return (['expected', 'received'] as const).flatMap((name) => {
    const value = details[name];
    return typeof value === 'string' ? [[<code key="name">{name}</code>, <bdi key="value">{value}</bdi>] as const] : [];
  });
}

/**
 * What the redirect URI was compared with (RDU-07). Shown only under `dev`, because the registration of a client is not
 * for every caller.
 */
function comparedWith({ registered, nearest, differs_in }: OAuthError['details']) {
  const [uris, parts] = [textsOf(registered), textsOf(differs_in)];
  if (uris.length === 0) return [];
  const list = uris.flatMap((uri, index) => [index === 0 ? '' : <br key={`${uri} end`} />, <bdi key={uri}>{uri}</bdi>]);
  return [
    [<code key="name">registered</code>, list] as const,
    ...(uris.length > 1 && typeof nearest === 'string'
      ? [[<code key="name">nearest</code>, <bdi key="value">{nearest}</bdi>] as const]
      : []),
    [<code key="name">differs_in</code>, parts.join(', ')] as const,
  ];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
