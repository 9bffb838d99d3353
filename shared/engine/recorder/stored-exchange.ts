// Converts the observed data of one exchange to its stored form. Secrets become fingerprints, values are bounded, SAML
// messages are decoded, and keys assign it to a flow (REC-02 to REC-05, REC-11, REC-16).
import { isDelivery, type SamlSummary, type StoredExchange } from '#shared/model/domain/exchange.ts';
import type { Fingerprints } from './fingerprints.ts';
import { flowKeysOf } from './flow-keys.ts';
import type { ObservedExchange } from './observed-exchange.ts';
import { withoutSecrets } from './without-secrets.ts';

export function storedExchange(
  observed: ObservedExchange,
  fingerprints: Fingerprints,
  keepsSecrets: boolean,
): StoredExchange {
  const { content, secrets } = withoutSecrets(observed, fingerprints, keepsSecrets);
  const saml = samlOfRequest(content);
  const { browser, noticed } = observed;
  return {
    endpoint: observed.endpoint,
    at: observed.at,
    clock: observed.clock,
    durationMilliseconds: observed.durationMilliseconds,
    method: observed.method,
    path: observed.path,
    status: observed.status,
    clientId: observed.clientId,
    username: observed.username,
    // A logout message is our own, and its content does not name the recipient.
    sp: isDelivery(observed.endpoint) ? observed.sp : (saml?.issuer ?? observed.sp),
    grantType: observed.grantType,
    decision: observed.decision,
    reason: observed.reason,
    refusal: observed.refusal,
    fault: observed.fault,
    content: {
      parameters: content.parameters,
      requestHeaders: content.requestHeaders,
      answer: content.answer,
      responseHeaders: content.responseHeaders,
      decoded: content.decoded,
      details: observed.details,
      noticed:
        noticed === undefined || browser === undefined
          ? noticed
          : { ...noticed, browser: { id: fingerprints.of(browser.id), drawn: browser.isDrawn } },
    },
    keys: flowKeysOf(observed, saml?.id, fingerprints),
    address: observed.address,
    requestId: observed.requestId,
    secrets,
    repeatKey: observed.repeatKey,
  };
}

function samlOfRequest({ decoded }: StoredExchange['content']): SamlSummary | undefined {
  for (const one of decoded) if (one.in === 'parameters' && 'saml' in one) return one.saml;
  return undefined;
}
