// What a SAML service provider sends (VER-K34 to VER-K44).
import type { KeptExchange, SamlSummary } from '#shared/model/domain/exchange.ts';
import { samlBindings, samlCore, samlProfiles, xmlSignature } from '#shared/model/refusals/references.ts';
import { readSamlInstant } from '#shared/protocol/saml/instants.ts';
import { type ClientHistory, decodedIn, ofEndpoints, parameter, shown } from '../client-history.ts';
import { type Judgement, type Occasion, occasionsAt, type VerdictRule } from '../verdict-rule.ts';
import { isPlainHttp } from './redirect-uri.ts';

const skewMilliseconds = 300_000;
const relayStateBytesMax = 80;
/** xs:ID is an NCName: no digit in front, no colon. */
const ncName = /^[\p{L}_][\p{L}\p{N}\p{M}._\-·]*$/u;

export const samlRules: readonly VerdictRule[] = [
  {
    clause: 'VER-K34',
    id: 'saml_request_unsigned',
    severity: 'warning',
    title: 'Unsigned AuthnRequest',
    standard: samlProfiles('4.1.3.3'),
    remedy: 'Sign requests with the key whose certificate saml.sp_certificates declares.',
    // saml.sp_certificates does not count for a registered service provider (SPM-10).
    occasions: eachRequest((request, _saml, { isRegisteredProvider }) => {
      if (isRegisteredProvider || request.content.noticed?.sso?.hasCertificates !== true) return 'none';
      return isSigned(request)
        ? undefined
        : { detail: 'The AuthnRequest is not signed, although saml.sp_certificates declares certificates.' };
    }),
  },
  {
    clause: 'VER-K35',
    id: 'saml_request_weak_algorithm',
    severity: 'warning',
    title: 'Signature with SHA-1',
    standard: xmlSignature('6.2.1'),
    remedy: 'Sign with RSA-SHA256 or better, and use SHA-256 digests.',
    occasions: eachRequest((request, saml) => {
      if (!isSigned(request)) return 'none';
      const methods = [...(saml.signature_methods ?? []), parameter(request, 'SigAlg') ?? ''];
      const weak = methods.find((method) => /[#-]sha1$/i.test(method));
      return weak === undefined ? undefined : { detail: `The AuthnRequest is signed with ${shown(weak)}.` };
    }),
  },
  {
    clause: 'VER-K36',
    id: 'saml_destination_missing',
    severity: 'warning',
    title: 'AuthnRequest without Destination',
    standard: samlBindings('3.4.5.2'),
    remedy: 'Set Destination to the single sign-on address from the metadata.',
    occasions: eachRequest((request, { destination }) => {
      if (given(destination)) return undefined;
      return isSigned(request)
        ? {
            detail: 'The AuthnRequest is signed but has no Destination. A signed one must have it.',
            severity: 'error',
          }
        : { detail: 'The AuthnRequest has no Destination. Stricter identity providers reject it.' };
    }),
  },
  {
    clause: 'VER-K37',
    id: 'saml_destination_wrong',
    severity: 'error',
    title: 'AuthnRequest with a wrong Destination',
    standard: samlCore('3.2.1'),
    remedy: 'Use exactly the single sign-on address from the metadata.',
    occasions: eachRequest(({ content }, { destination = '' }) => {
      const address = content.noticed?.sso?.address;
      if (address === undefined || !given(destination)) return 'none';
      return destination === address
        ? undefined
        : { detail: `The Destination is ${shown(destination)}, but single sign-on is at ${shown(address)}.` };
    }),
  },
  {
    clause: 'VER-K38',
    id: 'saml_request_id_repeated',
    severity: 'error',
    title: 'Reused ID of an AuthnRequest',
    standard: samlCore('1.3.4'),
    remedy: 'Generate a new ID of at least 128 random bits for each request.',
    occasions: repeatedIds,
  },
  {
    clause: 'VER-K39',
    id: 'saml_request_id_malformed',
    severity: 'error',
    title: 'AuthnRequest with a malformed ID',
    standard: samlCore('1.3.4'),
    remedy: 'Start the ID with a letter or an underscore. Letters, digits, dots, hyphens and underscores may follow.',
    occasions: eachRequest((_request, { id = '' }) =>
      ncName.test(id)
        ? undefined
        : { detail: `The ID ${shown(id)} is not an NCName, which starts with a letter or _.` },
    ),
  },
  {
    clause: 'VER-K40',
    id: 'saml_issue_instant_skewed',
    severity: 'warning',
    title: 'AuthnRequest with a wrong time',
    standard: samlCore('1.3.3'),
    remedy: 'Correct the clock of the service provider, and write the current time in UTC as IssueInstant.',
    // A browser that reloads the page of a request sends a value that was correct when the request was made.
    occasions: occasionsAt(firstOfEach, (request) => {
      const { issue_instant: sent = '' } = summaryOf(request) ?? {};
      const issued = readSamlInstant(sent);
      if (issued === undefined) return 'none';
      // While the tester moves the clock, a service provider may use that clock or real time.
      const skew = Math.min(Math.abs(request.clock - issued), Math.abs(request.at - issued));
      return skew > skewMilliseconds
        ? { detail: `The IssueInstant ${shown(sent)} is ${Math.round(skew / 1000)} s away from this server's clock.` }
        : undefined;
    }),
  },
  {
    clause: 'VER-K41',
    id: 'saml_passive_and_forced',
    severity: 'warning',
    title: 'IsPassive together with ForceAuthn',
    standard: samlCore('3.4.1'),
    remedy: 'Send only one of them. Most identity providers answer both with NoPassive.',
    occasions: eachRequest((_request, { is_passive, force_authn }) =>
      is_passive === true && force_authn === true
        ? {
            detail:
              'The AuthnRequest has both IsPassive and ForceAuthn. A new login without a page is rarely possible.',
          }
        : undefined,
    ),
  },
  {
    clause: 'VER-K42',
    id: 'saml_acs_http',
    severity: 'error',
    title: 'Assertion consumer service without TLS',
    standard: samlBindings('3.5.5.2'),
    remedy: 'Use an https address. http is only for loopback addresses.',
    occasions: eachRequest((_request, { acs_url: sent }) => {
      if (sent === undefined || !URL.canParse(sent)) return 'none';
      return isPlainHttp(new URL(sent))
        ? { detail: `The assertion goes to ${shown(sent)}, which uses http and a host that is not loopback.` }
        : undefined;
    }),
  },
  {
    clause: 'VER-K43',
    id: 'saml_relay_state_long',
    severity: 'error',
    title: 'RelayState longer than 80 bytes',
    standard: samlBindings('3.5.3'),
    remedy: 'Store the state in the session, and send a short key for it as RelayState.',
    occasions: eachRequest(({ content }) => {
      const bytes = content.noticed?.relayStateBytes;
      if (bytes === undefined) return 'none';
      return bytes > relayStateBytesMax ? { detail: `The RelayState has ${bytes} bytes.` } : undefined;
    }),
  },
  {
    clause: 'VER-K44',
    id: 'saml_issuer_missing',
    severity: 'error',
    title: 'AuthnRequest without Issuer',
    standard: samlProfiles('4.1.4.1'),
    remedy: 'Send the entity ID of the service provider as Issuer.',
    occasions: eachRequest((_request, { issuer }) =>
      given(issuer) ? undefined : { detail: 'The AuthnRequest has no Issuer.' },
    ),
  },
];

/** The service provider's own requests, without repeats by the login form or this server's page. */
function authnRequests(history: ClientHistory): readonly KeptExchange[] {
  return messages(history).filter(
    ({ content }) => !content.parameters.some(({ name }) => name === 'saml_original_verb'),
  );
}

/** Requests that are not exact repeats of an earlier one. */
function firstOfEach(history: ClientHistory): readonly KeptExchange[] {
  const known = new Set<string>();
  return authnRequests(history).filter((request) => {
    const message = parameter(request, 'SAMLRequest') ?? '';
    const isNew = !known.has(message);
    known.add(message);
    return isNew;
  });
}

function messages(history: ClientHistory): readonly KeptExchange[] {
  return ofEndpoints('saml_sso')(history).filter((exchange) => summaryOf(exchange)?.message === 'AuthnRequest');
}

function summaryOf(exchange: KeptExchange): SamlSummary | undefined {
  return decodedIn(exchange, 'parameters', 'SAMLRequest')?.saml;
}

function eachRequest(
  judge: (request: KeptExchange, saml: SamlSummary, history: ClientHistory) => Judgement,
): VerdictRule['occasions'] {
  return occasionsAt(authnRequests, (request, history) => {
    const saml = summaryOf(request);
    return saml === undefined ? 'none' : judge(request, saml, history);
  });
}

/** By its query, or by a signature element. */
function isSigned(request: KeptExchange): boolean {
  return parameter(request, 'Signature') !== undefined || summaryOf(request)?.signed.includes('AuthnRequest') === true;
}

function given(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** The second request is the first occasion. The same request reloaded by one browser is none. */
function repeatedIds(history: ClientHistory): readonly Occasion[] {
  const browsers = browsersOfIds(history);
  const known = new Map<string, KeptExchange>();
  const occasions: Occasion[] = [];
  for (const at of authnRequests(history)) {
    const id = summaryOf(at)?.id;
    if (id === undefined || id === '') continue;
    const first = known.get(id);
    if (first === undefined) {
      if (known.size > 0) occasions.push({ at });
      known.set(id, at);
      continue;
    }
    const differs = parameter(at, 'SAMLRequest') !== parameter(first, 'SAMLRequest');
    if (differs || (browsers.get(id)?.size ?? 0) > 1) {
      const how = differs ? 'occurs in two different requests' : 'came from two browsers';
      occasions.push({ at, breach: { detail: `The ID ${shown(id)} ${how}.`, beside: [first] } });
    }
  }
  return occasions;
}

/** A page of another site posts without the browser's cookie, so the browser is unknown. */
function browsersOfIds(history: ClientHistory): ReadonlyMap<string, ReadonlySet<string>> {
  const browsers = new Map<string, Set<string>>();
  for (const exchange of messages(history)) {
    const id = summaryOf(exchange)?.id;
    const browser = exchange.content.noticed?.browser;
    const isUnknown = browser?.drawn === true && exchange.method === 'POST' && namesIssuer(exchange);
    if (id === undefined || browser === undefined || isUnknown) continue;
    browsers.set(id, (browsers.get(id) ?? new Set()).add(browser.id));
  }
  return browsers;
}

function namesIssuer({ content }: KeptExchange): boolean {
  return content.request_headers.some(({ name }) => ['sec-fetch-site', 'origin'].includes(name.toLowerCase()));
}
