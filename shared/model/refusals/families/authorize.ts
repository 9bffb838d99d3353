// Rejections by /authorize, in the order of its checks (AUT-06), then those of a login whose request is lost.

import { postedRequestBytesMax } from '#shared/model/domain/authorization-request.ts';
import { transactionLifetimeSeconds } from '#shared/model/domain/authorization-transaction.ts';
import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { requestObjectAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { safeAddress, safeInDescription } from '#shared/protocol/oauth2/descriptions.ts';
import { bytesText, minutesText } from '../quantities.ts';
import { docs, oidc, rfc } from '../references.ts';
import { missingParameter, tooLarge } from '../wordings.ts';

/** What an unregistered redirect URI was compared with. */
interface UnregisteredUri {
  readonly sent: string;
  readonly candidates: readonly string[];
  readonly nearest: { readonly registered: string; readonly differs_in: readonly string[] } | undefined;
}

const candidatesMax = 20;

const registeredRedirectUri = {
  error: 'invalid_request',
  expected: 'Exactly one of the client’s registered redirect URIs.',
  standard: rfc(9700, '2.1'),
  registered: 'redirect_uris',
} as const;

const challenge = {
  error: 'invalid_request',
  expected: 'The SHA-256 of a code_verifier as code_challenge, with code_challenge_method=S256.',
  standard: rfc(7636, '4.3'),
} as const;

const requestObject = {
  expected: 'Plain query parameters instead of a request object, or oauth.request_objects: on.',
  standard: oidc('3.1.2.6'),
} as const;

const pendingLogin = {
  error: 'invalid_request',
  expected: `The login page of a pending request of this browser, submitted within ${minutesText(transactionLifetimeSeconds)}.`,
  standard: rfc(6749, '4.1.1'),
} as const;

const capacity = { error: 'temporarily_unavailable' } as const;

export const authorizeRefusals = declareOAuthRefusals({
  client_id_missing: {
    error: 'invalid_request',
    answer: missingParameter('client_id'),
    expected: 'The client_id of the application.',
    standard: rfc(6749, '4.1.1'),
  },
  redirect_uri_missing: {
    error: 'invalid_request',
    answer: missingParameter('redirect_uri'),
    expected: 'The redirect_uri that receives the response. There is no default.',
    standard: rfc(6749, '4.1.1'),
  },
  parameter_repeated: {
    error: 'invalid_request',
    answer: ({ parameter }: { parameter: string }) => `The parameter ${parameter} is repeated. Send it once.`,
    evidence: ({ parameter }: { parameter: string }) => ({ parameter }),
    expected: 'Each parameter at most once.',
    standard: rfc(6749, '3.1'),
  },
  parameter_with_nul: {
    error: 'invalid_request',
    answer: ({ parameter }: { parameter: string }) =>
      `The parameter ${parameter} must not contain the character U+0000.`,
    evidence: ({ parameter }: { parameter: string }) => ({ parameter }),
    expected: 'Parameters without the character U+0000.',
    standard: { reference: 'RFC 6749 appendix A', link: 'https://www.rfc-editor.org/rfc/rfc6749#appendix-A' },
  },
  client_id_unknown: {
    error: 'invalid_client',
    answer: 'Unknown client_id',
    expected: 'The client_id of an existing client.',
    standard: rfc(6749, '2.2'),
  },
  /** Recorded by a separate event, which has the reason only with `show_reasons` (AUD-17, MDC-01). */
  metadata_document_refused: {
    error: 'invalid_client',
    answer: 'Unknown client_id',
    expected:
      'A valid metadata document at an allowed host. The server log has the reason. Set "oauth.client_id_metadata_documents.show_reasons" to see it here.',
    standard: docs('settings.md#oauthclient_id_metadata_documents'),
  },
  redirect_uri_not_acceptable: {
    ...registeredRedirectUri,
    answer: ({ problem }: { problem: string; sent: string }) => `The redirect_uri ${problem}.`,
    evidence: ({ sent }: { problem: string; sent: string }) => ({ sent: safeInDescription(sent) }),
  },
  redirect_uris_not_registered: {
    ...registeredRedirectUri,
    answer: 'The client has no registered redirect_uris. The security profile oauth21 requires them.',
  },
  redirect_uri_not_registered: {
    ...registeredRedirectUri,
    answer:
      'The redirect_uri is not registered for this client. It must be identical to one of the redirect_uris of the client.',
    // The audit shows the sent URI and the registered ones, so that a person can see the difference.
    reason: ({ sent }: UnregisteredUri) =>
      `The redirect_uri is not registered for this client: ${safeInDescription(sent)}`,
    evidence: ({ sent, candidates, nearest }: UnregisteredUri) => ({
      sent: safeAddress(sent),
      registered: candidates.slice(0, candidatesMax).map(safeAddress),
      ...(nearest === undefined ? {} : { nearest: safeAddress(nearest.registered), differs_in: nearest.differs_in }),
    }),
  },
  response_mode_not_supported: {
    error: 'invalid_request',
    answer: ({ offered }: { offered: readonly string[] }) =>
      `The response_mode must be ${offered.join(' or ')}. The setting oauth.response_modes allows others.`,
    expected: 'A response_mode that oauth.response_modes lists, or no response_mode.',
    standard: {
      reference: 'OAuth 2.0 Multiple Response Types §2.1',
      link: 'https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html',
    },
  },
  request_not_supported: {
    ...requestObject,
    error: 'request_not_supported',
    answer: 'The parameter request is not supported.',
  },
  request_uri_not_supported: {
    ...requestObject,
    error: 'request_uri_not_supported',
    answer: 'The parameter request_uri is not supported.',
  },
  registration_not_supported: {
    ...requestObject,
    error: 'registration_not_supported',
    answer: 'The parameter registration is not supported.',
  },
  request_objects_doubled: {
    error: 'invalid_request',
    answer: 'The request has both request and request_uri. Send only one of them.',
    expected: 'Either request or request_uri, not both.',
    standard: oidc('6'),
  },
  request_object_unusable: {
    error: 'invalid_request_object',
    answer: ({ problem }: { problem: string }) => `The request object is invalid: ${problem}.`,
    expected: `A JWT that is unsigned, or signed with ${requestObjectAlgorithms.join(' or ')} and a key of the client.`,
    standard: oidc('6.1'),
  },
  request_uri_unusable: {
    error: 'invalid_request_uri',
    answer: ({ problem }: { problem: string }) => `The request_uri is invalid: ${problem}.`,
    expected: 'One of the request_uris of the client, at a host that oauth.client_fetch lists.',
    standard: oidc('6.2'),
  },
  pushed_request_unusable: {
    error: 'invalid_request_uri',
    answer: ({ problem }: { problem: string }) => `The request_uri is invalid: ${problem}. Push the request again.`,
    evidence: ({ problem }: { problem: string }) => ({ problem }),
    expected: 'An unused request_uri that /par returned to this client.',
    standard: rfc(9126, '4'),
  },
  pushed_request_required: {
    error: 'invalid_request',
    answer:
      'Authorization requests must be pushed: send the parameters to /par, then the returned request_uri to this endpoint.',
    expected: 'client_id and the request_uri that /par returned.',
    standard: rfc(9126, '5'),
  },
  posted_request_too_long: {
    error: 'invalid_request',
    answer: tooLarge('The posted authorization request', postedRequestBytesMax),
    expected: `A request of at most ${bytesText(postedRequestBytesMax)}.`,
    standard: oidc('3.1.2.1'),
  },
  nonce_missing: {
    error: 'invalid_request',
    answer: `${missingParameter('nonce')} This response_type requires it.`,
    expected: 'A nonce that the client generates for this request.',
    standard: oidc('3.2.2.1'),
  },
  openid_scope_missing: {
    error: 'invalid_scope',
    answer: 'The scope openid is missing. This response_type requires it.',
    expected: 'A scope that contains openid.',
    standard: oidc('3.2.2.1'),
  },
  response_mode_not_for_implicit: {
    error: 'invalid_request',
    answer:
      'The response_mode of this response_type must be fragment, or form_post where oauth.response_modes allows it.',
    expected: 'response_mode=fragment or form_post. Tokens are never sent in a query.',
    standard: {
      reference: 'OAuth 2.0 Multiple Response Types §5',
      link: 'https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html',
    },
  },
  response_type_missing: {
    error: 'invalid_request',
    answer: missingParameter('response_type'),
    expected: 'response_type=code, or another type that discovery lists.',
    standard: rfc(6749, '3.1.1'),
  },
  response_type_not_supported: {
    error: 'unsupported_response_type',
    answer: ({ offered }: { sent: string; offered: readonly string[] }) =>
      `The response_type must be ${offered.join(' or ')}.`,
    evidence: ({ sent }: { sent: string; offered: readonly string[] }) => ({ sent: safeInDescription(sent) }),
    expected: 'response_type=code, or another type that discovery lists.',
    standard: rfc(6749, '3.1.1'),
  },
  code_challenge_method_unknown: {
    ...challenge,
    answer: 'The code_challenge_method must be S256 or plain.',
    evidence: ({ sent }: { sent: string }) => ({ sent: safeInDescription(sent) }),
  },
  code_challenge_required_of_public_client: {
    ...challenge,
    answer: 'A public client must send a code_challenge (PKCE, RFC 7636).',
  },
  code_challenge_required: {
    ...challenge,
    answer: 'This server requires a code_challenge (PKCE, RFC 7636).',
  },
  code_challenge_method_alone: {
    ...challenge,
    answer: 'The request has a code_challenge_method but no code_challenge.',
  },
  plain_pkce_of_public_client: {
    ...challenge,
    answer: ({ omitted }: { omitted: boolean }) =>
      `A public client must use code_challenge_method=S256. ${plainSent(omitted)}.`,
  },
  plain_pkce_refused: {
    ...challenge,
    answer: ({ omitted }: { omitted: boolean }) =>
      `The security profile requires code_challenge_method=S256. ${plainSent(omitted)}.`,
  },
  code_challenge_malformed: {
    ...challenge,
    answer: ({ method }: { method: 'S256' | 'plain' }) =>
      method === 'S256'
        ? 'The code_challenge must be 43 base64url characters for S256 (RFC 7636 section 4.2).'
        : 'The code_challenge must be 43 to 128 unreserved characters for plain (RFC 7636 section 4.2).',
  },
  prompt_none_not_alone: {
    error: 'invalid_request',
    answer: 'prompt=none cannot be combined with other prompt values.',
    expected: 'prompt=none alone, or other prompt values without none.',
    standard: oidc('3.1.2.1'),
  },
  prompt_none_needs_login: {
    error: 'login_required',
    answer: 'prompt=none needs a session, and this server creates none because login.session is off.',
    expected: 'login.session: on in settings.yaml, or a request without prompt=none.',
    standard: oidc('3.1.2.1'),
  },
  session_needed: {
    error: 'login_required',
    answer: 'prompt=none needs a session, and this browser has no session that fits the request.',
    expected: 'A session of this browser that fits id_token_hint, login_hint, max_age and acr_values.',
    standard: oidc('3.1.2.6'),
  },
  session_cookie_withheld: {
    error: 'login_required',
    answer:
      'prompt=none needs a session, but browsers do not send the session cookie (SameSite=Lax) from a frame in a page of another site.',
    expected: 'A frame in a page of the same site (same scheme and host name, any port), or a top-level request.',
    standard: oidc('3.1.2.6'),
  },
  account_choice_needed: {
    error: 'account_selection_required',
    answer: 'This browser has several accounts, and prompt=none cannot ask which one to use.',
    expected: 'An id_token_hint or login_hint, or a single account in this browser.',
    standard: oidc('3.1.2.6'),
  },
  step_up_needed: {
    error: 'interaction_required',
    answer: 'The requested authentication context needs a second factor, and prompt=none cannot ask for the code.',
    expected: 'A session with a second factor, or a request without prompt=none.',
    standard: rfc(9470, '4'),
  },
  consent_needed: {
    error: 'consent_required',
    answer: 'The user has not consented yet, and prompt=none cannot ask.',
    expected: 'A stored consent to all requested scopes, or a request without prompt=none.',
    standard: oidc('3.1.2.6'),
  },
  another_user_logged_in: {
    error: 'login_required',
    answer: 'The user who logged in is not the user that the request names.',
    expected: 'A login of the user that id_token_hint or claims names.',
    standard: oidc('3.1.2.1'),
  },
  users_asked_for_differ: {
    error: 'login_required',
    answer: 'id_token_hint and claims name different users.',
    expected: 'The same user in id_token_hint and claims.',
    standard: oidc('5.5.1'),
  },
  acr_unmet: {
    error: 'unmet_authentication_requirements',
    answer: 'This user cannot reach the essential acr value.',
    expected: 'A value of acr_values_supported that the user can reach.',
    standard: oidc('5.5.1.1'),
  },
  max_age_malformed: {
    error: 'invalid_request',
    answer: 'max_age must be a whole number of seconds, 0 or more.',
    expected: 'max_age as decimal digits.',
    standard: oidc('3.1.2.1'),
  },
  id_token_hint_wrong: {
    error: 'invalid_request',
    answer: 'The id_token_hint is not an ID token of this server.',
    expected: 'An ID token that this server issued. It may be expired.',
    standard: oidc('3.1.2.2'),
  },
  login_cancelled: {
    error: 'access_denied',
    answer: 'The user cancelled the login.',
    expected: 'A user who completes the login.',
    standard: rfc(6749, '4.1.2.1'),
  },
  login_hint_user_unknown: {
    error: 'invalid_request',
    answer: 'The user in login_hint does not exist.',
    expected: 'persona-auto-login: followed by the name of an existing user.',
    standard: docs('settings.md#login'),
  },
  too_many_logins_in_progress: {
    ...capacity,
    answer: 'Too many logins are in progress. Try again later.',
    expected: 'Fewer than 1000 logins in progress.',
    standard: docs('errors.md#oauth-20-and-openid-connect'),
  },
  client_removed_during_login: {
    ...capacity,
    answer: 'The client was deleted during the login.',
    expected: 'A client that exists until the login is complete.',
    standard: rfc(6749, '4.1.2.1'),
  },
  metadata_document_not_kept: {
    ...capacity,
    answer: 'The metadata document of this client cannot be cached at the moment. Try again later.',
    expected: 'Space in the metadata cache until the code is redeemed.',
    standard: docs('settings.md#oauthclient_id_metadata_documents'),
  },
  no_login_pending: {
    ...pendingLogin,
    answer: 'This browser has no pending authorization request. Send response_type, client_id and redirect_uri.',
  },
  authorization_request_in_body: {
    ...pendingLogin,
    answer:
      'This browser has no pending authorization request. New requests are read from the query only, and this one is in the body.',
    expected: 'The parameters in the query, or oauth.authorize_by_post: true.',
  },
  posted_request_not_whole: {
    ...pendingLogin,
    answer:
      'This browser has no pending authorization request. A new one by POST needs response_type and client_id, no query, and no field of a login page.',
    expected: 'A form with response_type and client_id and no query, or all parameters in the query.',
  },
  several_logins_pending: {
    ...pendingLogin,
    answer: 'This browser has several pending authorization requests. Select one with transaction_id.',
  },
  transaction_of_another_request: {
    ...pendingLogin,
    answer: 'The query and transaction_id belong to different authorization requests.',
  },
  transaction_not_pending: {
    ...pendingLogin,
    answer:
      'The transaction_id is not a pending authorization request of this browser. Start again at the application.',
  },
});

function plainSent(omitted: boolean): string {
  return omitted ? 'Without code_challenge_method the method is plain' : 'The method plain is rejected';
}
