// Rejections by /authorize, in the order of its checks (AUT-06), then those of a login whose request is lost.

import { postedRequestBytesMax } from '#shared/model/domain/authorization-request.ts';
import { transactionLifetimeSeconds } from '#shared/model/domain/authorization-transaction.ts';
import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { requestObjectAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { safeInDescription } from '#shared/protocol/oauth2/descriptions.ts';
import { bytesText, minutesText } from '../quantities.ts';
import { docs, oidc, rfc } from '../references.ts';

const registeredRedirectUri = {
  error: 'invalid_request',
  expected: 'A redirect_uri that the client registered, character for character.',
  standard: rfc(9700, '2.1'),
  registered: 'redirect_uris',
} as const;

const challenge = {
  error: 'invalid_request',
  expected: 'A code_challenge that is the SHA-256 of a code_verifier, with code_challenge_method=S256.',
  standard: rfc(7636, '4.3'),
} as const;

const requestObject = {
  expected: 'The parameters themselves in the query, not in a request object (oauth.request_objects is off).',
  standard: oidc('3.1.2.6'),
} as const;

const pendingLogin = {
  error: 'invalid_request',
  expected: `The login page of this browser’s own pending request, posted within ${minutesText(transactionLifetimeSeconds)}.`,
  standard: rfc(6749, '4.1.1'),
} as const;

const capacity = { error: 'temporarily_unavailable' } as const;

export const authorizeRefusals = declareOAuthRefusals({
  client_id_missing: {
    error: 'invalid_request',
    answer: 'The parameter client_id is required.',
    expected: 'The client_id of the application.',
    standard: rfc(6749, '4.1.1'),
  },
  redirect_uri_missing: {
    error: 'invalid_request',
    answer: 'The parameter redirect_uri is required.',
    expected: 'The redirect_uri to which the answer is to go; this server chooses none.',
    standard: rfc(6749, '4.1.1'),
  },
  parameter_repeated: {
    error: 'invalid_request',
    answer: ({ parameter }: { parameter: string }) => `'${parameter}' was sent more than once; it may be sent once.`,
    evidence: ({ parameter }: { parameter: string }) => ({ parameter }),
    expected: 'No parameter more than once.',
    standard: rfc(6749, '3.1'),
  },
  parameter_with_nul: {
    error: 'invalid_request',
    answer: ({ parameter }: { parameter: string }) => `'${parameter}' must not contain the character U+0000.`,
    evidence: ({ parameter }: { parameter: string }) => ({ parameter }),
    expected: 'Parameters without the character U+0000.',
    standard: { reference: 'RFC 6749 appendix A', link: 'https://www.rfc-editor.org/rfc/rfc6749#appendix-A' },
  },
  client_id_unknown: {
    error: 'invalid_client',
    answer: 'Unknown client_id',
    expected: 'The client_id of a client there is.',
    standard: rfc(6749, '2.2'),
  },
  /** Recorded by a separate event, whose reason is only in the log (AUD-17). */
  metadata_document_refused: {
    error: 'invalid_client',
    answer: 'Unknown client_id',
    expected: 'A metadata document of an allowed host. The log of the server has the reason.',
    standard: docs('settings.md#oauthclient_id_metadata_documents'),
  },
  redirect_uri_not_acceptable: {
    ...registeredRedirectUri,
    answer: ({ problem }: { problem: string; sent: string }) => `The redirect_uri ${problem}.`,
    evidence: ({ sent }: { problem: string; sent: string }) => ({ sent: safeInDescription(sent) }),
  },
  redirect_uris_not_registered: {
    ...registeredRedirectUri,
    answer: 'This client has no registered redirect_uris, which the security profile oauth21 requires.',
  },
  redirect_uri_not_registered: {
    ...registeredRedirectUri,
    answer:
      'The redirect_uri is not registered for this client; it must equal one of its redirect_uris character for character.',
    // The audit shows the sent URI, so that a person can see the difference.
    reason: ({ sent }: { sent: string }) =>
      `The redirect_uri is not registered for this client: ${safeInDescription(sent)}`,
    evidence: ({ sent }: { sent: string }) => ({ sent: safeInDescription(sent) }),
  },
  response_mode_not_supported: {
    error: 'invalid_request',
    answer: ({ offered }: { offered: readonly string[] }) =>
      `The response_mode must be ${offered.join(' or ')}. The setting oauth.response_modes can offer others.`,
    expected: 'A response_mode that oauth.response_modes offers, or none.',
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
    answer: "'request' and 'request_uri' were both sent; one of them may be.",
    expected: 'Either request or request_uri.',
    standard: oidc('6'),
  },
  request_object_unusable: {
    error: 'invalid_request_object',
    answer: ({ problem }: { problem: string }) => `The request object cannot be used: ${problem}.`,
    expected: `A JWT that is unsigned or signed by ${requestObjectAlgorithms.join(' or ')} with a key of the client.`,
    standard: oidc('6.1'),
  },
  request_uri_unusable: {
    error: 'invalid_request_uri',
    answer: ({ problem }: { problem: string }) => `The request_uri cannot be used: ${problem}.`,
    expected: 'One of the request_uris of the client, at a host of oauth.client_fetch.',
    standard: oidc('6.2'),
  },
  pushed_request_unusable: {
    error: 'invalid_request_uri',
    answer: ({ problem }: { problem: string }) => `The request_uri is of no use: ${problem}. Push the request again.`,
    evidence: ({ problem }: { problem: string }) => ({ problem }),
    expected: 'The request_uri that /par has just answered this client, once.',
    standard: rfc(9126, '4'),
  },
  pushed_request_required: {
    error: 'invalid_request',
    answer: 'Authorization requests have to be pushed first: send the parameters to /par, and request_uri here.',
    expected: 'client_id and the request_uri that /par answered.',
    standard: rfc(9126, '5'),
  },
  posted_request_too_long: {
    error: 'invalid_request',
    answer: `A posted authorization request may have ${bytesText(postedRequestBytesMax)}; this one is longer.`,
    expected: `A request of at most ${bytesText(postedRequestBytesMax)}.`,
    standard: oidc('3.1.2.1'),
  },
  nonce_missing: {
    error: 'invalid_request',
    answer: 'The parameter nonce is required with this response_type.',
    expected: 'A nonce of the application’s own.',
    standard: oidc('3.2.2.1'),
  },
  openid_scope_missing: {
    error: 'invalid_scope',
    answer: 'This response_type needs the scope openid.',
    expected: 'A scope with openid.',
    standard: oidc('3.2.2.1'),
  },
  response_mode_not_for_implicit: {
    error: 'invalid_request',
    answer: 'The response_mode of this response_type must be fragment or, where it is offered, form_post.',
    expected: 'Tokens travel in the fragment or by a form, never in a query.',
    standard: {
      reference: 'OAuth 2.0 Multiple Response Types §5',
      link: 'https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html',
    },
  },
  response_type_missing: {
    error: 'invalid_request',
    answer: 'The parameter response_type is required.',
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
    answer: 'A code_challenge (PKCE, RFC 7636) is required here.',
  },
  code_challenge_method_alone: {
    ...challenge,
    answer: 'A code_challenge_method was sent without a code_challenge.',
  },
  plain_pkce_of_public_client: {
    ...challenge,
    answer: ({ omitted }: { omitted: boolean }) =>
      `A public client must use code_challenge_method=S256; ${plainSent(omitted)}.`,
  },
  plain_pkce_refused: {
    ...challenge,
    answer: ({ omitted }: { omitted: boolean }) =>
      `This security profile wants code_challenge_method=S256; ${plainSent(omitted)}.`,
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
    answer: 'The prompt none must stand alone.',
    expected: 'prompt=none alone, or other values without it.',
    standard: oidc('3.1.2.1'),
  },
  prompt_none_needs_login: {
    error: 'login_required',
    answer: 'prompt=none cannot be satisfied: this server asks for a login every time.',
    expected: 'A person at the login page: prompt=none alone cannot be satisfied.',
    standard: oidc('3.1.2.1'),
  },
  session_needed: {
    error: 'login_required',
    answer: 'prompt=none needs a session that suffices, and this browser has none.',
    expected: 'A session of this browser that suits id_token_hint, login_hint, max_age and acr_values.',
    standard: oidc('3.1.2.6'),
  },
  session_cookie_withheld: {
    error: 'login_required',
    answer:
      'prompt=none needs a session, and browsers send its cookie (SameSite=Lax) to no frame in a page of another site.',
    expected:
      'A frame in a page of the same site (scheme and host name alike, whatever the port), or a request that takes the whole window.',
    standard: oidc('3.1.2.6'),
  },
  account_choice_needed: {
    error: 'account_selection_required',
    answer: 'prompt=none cannot tell which of the accounts of this browser is meant.',
    expected: 'An id_token_hint or login_hint, or one account in this browser.',
    standard: oidc('3.1.2.6'),
  },
  step_up_needed: {
    error: 'interaction_required',
    answer: 'prompt=none cannot ask for the code that the authentication context needs.',
    expected: 'A session that was logged in to with a second factor, or a person.',
    standard: rfc(9470, '4'),
  },
  consent_needed: {
    error: 'consent_required',
    answer: 'prompt=none cannot ask for the consent that is still needed.',
    expected: 'A remembered consent to all scopes, or a person.',
    standard: oidc('3.1.2.6'),
  },
  another_user_logged_in: {
    error: 'login_required',
    answer: 'The request is about another user than the one who logged in.',
    expected: 'The login of the user that id_token_hint or claims names.',
    standard: oidc('3.1.2.1'),
  },
  users_asked_for_differ: {
    error: 'login_required',
    answer: 'id_token_hint and claims ask for different users.',
    expected: 'One user in both.',
    standard: oidc('5.5.1'),
  },
  acr_unmet: {
    error: 'unmet_authentication_requirements',
    answer: 'The essential acr cannot be reached by this user.',
    expected: 'A value of acr_values_supported that the user can reach.',
    standard: oidc('5.5.1.1'),
  },
  max_age_malformed: {
    error: 'invalid_request',
    answer: 'The max_age must be a whole number of seconds, 0 or more.',
    expected: 'max_age as decimal digits.',
    standard: oidc('3.1.2.1'),
  },
  id_token_hint_wrong: {
    error: 'invalid_request',
    answer: 'The id_token_hint is no ID token of this server.',
    expected: 'An ID token that this server issued, expired or not.',
    standard: oidc('3.1.2.2'),
  },
  login_cancelled: {
    error: 'access_denied',
    answer: 'The login was cancelled.',
    expected: 'A person who goes on with the login.',
    standard: rfc(6749, '4.1.2.1'),
  },
  login_hint_user_unknown: {
    error: 'invalid_request',
    answer: 'The login_hint asks for the login of a user who does not exist.',
    expected: 'persona-auto-login: followed by the name of a user there is.',
    standard: docs('settings.md#login'),
  },
  too_many_logins_in_progress: {
    ...capacity,
    answer: 'Too many logins are in progress at the moment; try again later.',
    expected: 'Fewer than 1000 logins in progress.',
    standard: docs('errors.md#oauth-20-and-openid-connect'),
  },
  client_removed_during_login: {
    ...capacity,
    answer: 'The client was removed while its login was in progress.',
    expected: 'A client that stays there until its login is complete.',
    standard: rfc(6749, '4.1.2.1'),
  },
  metadata_document_not_kept: {
    ...capacity,
    answer: 'The metadata document of this client cannot be kept at the moment.',
    expected: 'Room for the metadata document until the code is redeemed.',
    standard: docs('settings.md#oauthclient_id_metadata_documents'),
  },
  no_login_pending: {
    ...pendingLogin,
    answer: 'No authorization request of this browser is pending; send response_type, client_id and redirect_uri.',
  },
  authorization_request_in_body: {
    ...pendingLogin,
    answer:
      'No authorization request of this browser is pending; one is read from the query alone, and this one came in the body.',
    expected: 'The parameters of the authorization request in the query, or oauth.authorize_by_post: true.',
  },
  posted_request_not_whole: {
    ...pendingLogin,
    answer:
      'No authorization request of this browser is pending; a posted one needs response_type and client_id, comes without a query, and has no field of a login page.',
    expected: 'A form with response_type and client_id, or the same parameters in the query.',
  },
  several_logins_pending: {
    ...pendingLogin,
    answer: 'Several authorization requests of this browser are pending; name one by its transaction_id.',
  },
  transaction_of_another_request: {
    ...pendingLogin,
    answer: 'The query carries another authorization request than the one that transaction_id names.',
  },
  transaction_not_pending: {
    ...pendingLogin,
    answer:
      'The transaction_id names no pending authorization request of this browser; begin again at the application.',
  },
});

function plainSent(omitted: boolean): string {
  return omitted ? 'an omitted code_challenge_method means plain' : 'plain is refused';
}
