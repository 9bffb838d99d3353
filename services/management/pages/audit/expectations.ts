// What was expected instead of a refused request, as data: the first row whose words stand in the recorded reason, and
// whose types hold the event's, else the row of the event's type. Reasons are sentences of this program; the rows are
// tested against all of them.

import type { AuditEventType } from '#shared/audit/audit-event.ts';
import { tokenLifetimeMinutes } from '#shared/configuration/model/oauth-settings.ts';
import { contract, oidc, type Reference, rfc, samlBindings, samlCore } from './references.ts';

/** A side of the client's own registration that belongs to an expectation. */
export type ClientSide = 'redirect_uris' | 'authentication' | 'scope' | 'resources';

export interface Expectation extends Reference {
  readonly expected: string;
  /** What the client is registered with is told along. */
  readonly side?: ClientSide;
}

interface ReasonRow {
  readonly words: RegExp;
  /** undefined: of any type. */
  readonly types?: readonly AuditEventType[];
  readonly says: Expectation;
}

const saml: readonly AuditEventType[] = ['saml_request', 'saml_attribute_query'];
const registration: readonly AuditEventType[] = ['client_registration_refused'];
const tokenUse: readonly AuditEventType[] = ['userinfo_request', 'introspection_request'];

export const reasonRows: readonly ReasonRow[] = [
  // SAML
  {
    words: /NoPassive/,
    types: saml,
    says: { expected: 'A session of this browser, since IsPassive forbids to ask for a login.', ...samlCore('3.4.1') },
  },
  {
    words: /InvalidNameIDPolicy/,
    types: saml,
    says: {
      expected: 'A NameIDPolicy with the format emailAddress, persistent, transient or unspecified, or none.',
      ...samlCore('3.4.1.1'),
    },
  },
  {
    words: /UnsupportedBinding/,
    types: saml,
    says: { expected: 'A ProtocolBinding of HTTP-POST, or none: answers are posted.', ...samlCore('3.4.1') },
  },
  {
    words: /UnknownPrincipal/,
    types: saml,
    says: { expected: 'The NameID of a user as an assertion of this server carried it.', ...samlCore('3.3.2') },
  },
  {
    words: /Destination/,
    types: saml,
    says: { expected: 'A Destination that names this endpoint, or none.', ...samlBindings('3.5.5.2') },
  },
  {
    words: /assertion consumer service/,
    types: saml,
    says: {
      expected: 'An absolute AssertionConsumerServiceURL, or the setting saml.default_acs_url.',
      ...samlCore('3.4.1'),
    },
  },
  {
    words: /signature|digest|SigAlg|certificate|SignedInfo|signed request/i,
    types: saml,
    says: {
      expected: 'A signature over this request by a certificate of saml.sp_certificates.',
      ...samlBindings('3.4.4.1'),
    },
  },
  {
    words: /SAMLRequest/,
    types: saml,
    says: {
      expected: 'An AuthnRequest in base64, deflated before it when it comes in the query.',
      ...samlBindings('3.4.4.1'),
    },
  },
  {
    words: /session no longer exists/,
    types: saml,
    says: { expected: 'A session whose user still exists; a new login makes one.', ...contract('SAM-33') },
  },
  // logins, on every surface
  {
    words: /no user was chosen|^unknown user$/,
    says: { expected: 'The name of a user there is: in persona mode it is enough.', ...contract('LOG-05') },
  },
  {
    words: /wrong username or password|user name and password|no (?:username|password) was sent|'username' must not/,
    says: { expected: 'The name of a user and exactly the password of its entry.', ...contract('LOG-02, LOG-03') },
  },
  {
    words: /wrong code|no code was sent/,
    says: {
      expected: 'The six digits the authenticator shows now, at most one step of 30 seconds off.',
      ...rfc(6238, '5.2'),
    },
  },
  {
    words: /second factor expired|^expired$/,
    says: {
      expected: 'The code within five minutes of the password, from the same browser at the same page.',
      ...contract('LOG-16, LOG-20'),
    },
  },
  {
    words: /too many pending second factors/,
    says: { expected: 'Fewer than 1000 logins that wait for their code.', ...contract('LOG-21') },
  },
  {
    words: /changed during the login|the user or the login settings changed/,
    says: { expected: 'User, secret and login settings as they were at the password.', ...contract('LOG-24') },
  },
  {
    words: /login_hint/,
    says: { expected: 'persona-auto-login: followed by the name of a user there is.', ...contract('AUT-30') },
  },
  // device flow
  {
    words: /user code/,
    says: {
      expected: 'The user code of a device that still waits, before its time is over.',
      ...rfc(8628, '3.3'),
    },
  },
  {
    words: /user denied/,
    says: { expected: 'The approval of a person at /device.', ...rfc(8628, '3.5') },
  },
  {
    words: /device code can be given out/,
    says: { expected: 'Fewer devices that wait for their approval.', ...contract('DEV-07') },
  },
  {
    words: /metadata document.*device grant/,
    says: {
      expected: 'A declared or runtime client: this grant is not for metadata documents.',
      ...contract('DEV-06'),
    },
  },
  {
    words: /device_code/,
    says: {
      expected: 'A device_code issued to this client, approved, before its time is over and for the first time.',
      ...rfc(8628, '3.5'),
    },
  },
  // registration (its own reasons name parameters that mean something else elsewhere)
  {
    words: /redirect_uris/,
    types: registration,
    says: { expected: 'At least one absolute redirect URI without fragment.', ...rfc(7591, '2') },
  },
  {
    words: /as many registrations/,
    types: registration,
    says: {
      expected: 'Fewer registrations than oauth.dynamic_registration.max_clients.',
      ...contract('DCR-19'),
    },
  },
  { words: /./, types: registration, says: { expected: 'Client metadata as a JSON object.', ...rfc(7591, '2') } },
  // authorization requests
  {
    words: /transaction_id|request of this browser|requests of this browser|another authorization request/,
    says: {
      expected: 'The login page of this browser’s own pending request, posted within ten minutes.',
      ...contract('AUT-34 to AUT-43'),
    },
  },
  {
    words: /Too many logins are in progress/,
    says: { expected: 'Fewer than 1000 logins in progress.', ...contract('AUT-45') },
  },
  {
    words: /client was removed|document of this client cannot be kept/,
    says: { expected: 'A client that stays there until its login is complete.', ...contract('AUT-46, CMD-16') },
  },
  {
    words: /no Bearer token|No token was sent|access token was sent more than once/,
    says: { expected: 'One access token, in the Authorization header.', ...rfc(6750, '2.1') },
  },
  {
    words: /sent (?:only|more than) once|may be sent once/,
    says: { expected: 'No parameter more than once.', ...rfc(6749, '3.1') },
  },
  {
    words: /verifier/,
    says: { expected: 'The code_verifier whose SHA-256 is the code_challenge of the request.', ...rfc(7636, '4.6') },
  },
  {
    words: /code_challenge/,
    says: {
      expected: 'A code_challenge that is the SHA-256 of a code_verifier, with code_challenge_method=S256.',
      ...rfc(7636, '4.3'),
    },
  },
  {
    words: /redirect_uri/,
    types: ['authorization_request'],
    says: {
      expected: 'A redirect_uri that the client registered, character for character.',
      side: 'redirect_uris',
      ...rfc(9700, '2.1'),
    },
  },
  {
    words: /redirect_uri/,
    says: { expected: 'The redirect_uri of the authorization request again.', ...rfc(6749, '4.1.3') },
  },
  {
    words: /Unknown client_id/,
    says: { expected: 'The client_id of a client there is.', ...rfc(6749, '2.2') },
  },
  {
    words: /response_type/,
    says: { expected: 'response_type=code: only the code flow is served.', ...rfc(6749, '3.1.1') },
  },
  {
    words: /response_mode/,
    says: { expected: 'response_mode query or form_post, or none.', ...contract('AUT-22') },
  },
  {
    words: /prompt/,
    says: { expected: 'A person at the login page: prompt=none alone cannot be satisfied.', ...oidc('3.1.2.1') },
  },
  {
    words: /parameter (?:request|request_uri|registration) is not supported/,
    says: { expected: 'The parameters themselves in the query, not in a request object.', ...oidc('3.1.2.6') },
  },
  {
    words: /claims/,
    types: ['authorization_request'],
    says: { expected: 'claims as a JSON object with members id_token and userinfo.', ...oidc('5.5') },
  },
  // clients at /token, /introspect, /revoke and /device_authorization
  {
    words: /may not introspect/,
    says: { expected: 'A confidential client.', side: 'authentication', ...rfc(7662, '2.1') },
  },
  {
    words: /no credentials to use with this grant/,
    says: { expected: 'A confidential client: this grant rests on its secret alone.', ...rfc(6749, '4.4') },
  },
  {
    words: /Unknown client|client.secret|Basic|names no client|sent credentials|may not use the device grant/i,
    says: {
      expected: 'A known client_id, authenticated by the method of its entry.',
      side: 'authentication',
      ...rfc(6749, '2.3.1'),
    },
  },
  {
    words: /scope/i,
    says: { expected: 'Scopes that the server knows and the client may have.', side: 'scope', ...rfc(6749, '3.3') },
  },
  {
    words: /'resource'/,
    says: {
      expected: 'An absolute URI without fragment that the client may name and the grant was bound to.',
      side: 'resources',
      ...rfc(8707, '2'),
    },
  },
  // grants and their options
  {
    words: /grant_type' (?:is required|must be)/,
    says: { expected: 'A grant_type that this server serves.', ...rfc(6749, '5.2') },
  },
  {
    words: /form-urlencoded/,
    says: { expected: 'The parameters as application/x-www-form-urlencoded.', ...rfc(6749, '3.2') },
  },
  {
    words: /^'?extra'? /,
    says: {
      expected: 'A JSON object that sets none of the claims the server answers for.',
      ...contract('TOK-11, TOK-12'),
    },
  },
  {
    words: /^'?exp(?:_minutes)?'? /,
    says: {
      expected: `A whole number of minutes from ${tokenLifetimeMinutes.least} to ${tokenLifetimeMinutes.most}.`,
      ...contract('TOK-08'),
    },
  },
  {
    words: /refresh token/i,
    types: ['token_request'],
    says: { expected: 'A refresh token of this client that is neither expired, spent nor revoked.', ...rfc(6749, '6') },
  },
  {
    words: /no longer exists/,
    says: { expected: 'A user who still exists.', ...rfc(6749, '5.2') },
  },
  {
    words: /\bcode\b/,
    types: ['token_request'],
    says: {
      expected: 'A code issued to this client, less than ten minutes old and for the first time.',
      ...rfc(6749, '4.1.3'),
    },
  },
  // tokens
  {
    words: /token/i,
    types: tokenUse,
    says: {
      expected: 'An access token signed by one of the published keys, neither expired nor revoked.',
      ...rfc(6750, '3.1'),
    },
  },
];

export const typeRows: Partial<Record<AuditEventType, Expectation>> = {
  authorization_request: { expected: 'A complete and valid authorization request.', ...rfc(6749, '4.1.1') },
  token_request: { expected: 'A grant with all of its parameters, by an authenticated client.', ...rfc(6749, '5.2') },
  userinfo_request: { expected: 'A user’s access token in the Authorization header.', ...rfc(6750, '2.1') },
  introspection_request: { expected: 'An authenticated confidential client.', ...rfc(7662, '2.1') },
  revocation_request: { expected: 'An authenticated client and one of its own tokens.', ...rfc(7009, '2.1') },
  login: { expected: 'The name of a user and what the login mode asks for.', ...contract('LOG') },
  device_authorization_request: { expected: 'A client that may use the device grant.', ...rfc(8628, '3.1') },
  device_verification: { expected: 'A user code that is pending, and a login.', ...rfc(8628, '3.3') },
  saml_request: {
    expected: 'A well-formed AuthnRequest that its binding and the settings allow.',
    ...samlCore('3.4.1'),
  },
  saml_attribute_query: {
    expected: 'A SOAP envelope with an AttributeQuery for a known NameID.',
    ...samlCore('3.3.2.3'),
  },
  client_metadata_document_refused: {
    expected: 'A metadata document of an allowed host. The log of the server has the reason.',
    ...contract('CMD-02 to CMD-13'),
  },
  mcp_tool: {
    expected: 'Arguments that the tool’s schema accepts, and a state that allows the change.',
    ...contract('MCP'),
  },
};
