// Why a request failed, for people: what was expected instead, and where that is written. The first rule whose words
// stand in the recorded reason applies, else the one of the event type.
import type { AuditEntry, AuditEventType } from '#shared/audit/audit-event.ts';

export interface Explanation {
  readonly expected: string;
  /** Where the rule is written. */
  readonly reference: string;
  readonly link: string | undefined;
}

const rfc = (number: number, section: string): Pick<Explanation, 'reference' | 'link'> => ({
  reference: `RFC ${number} §${section}`,
  link: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
});
const oidc = (section: string): Pick<Explanation, 'reference' | 'link'> => ({
  reference: `OpenID Connect Core §${section}`,
  link: 'https://openid.net/specs/openid-connect-core-1_0.html',
});
const contract = (clauses: string): Pick<Explanation, 'reference' | 'link'> => ({
  reference: `contract ${clauses}`,
  link: undefined,
});

/** Words of a reason, in the order they are tried. */
const byReason: readonly { readonly words: RegExp; readonly says: Explanation }[] = [
  {
    words: /user ?name (?:and|or) (?:the )?password|unknown user|invalid credentials/i,
    says: { expected: 'The name of a user and exactly the password of its entry.', ...contract('LOG-02, LOG-03') },
  },
  {
    words: /wrong code|totp|no code was sent|second factor/i,
    says: {
      expected: 'The six digits the authenticator shows now, at most one step of 30 seconds off.',
      ...rfc(6238, '5.2'),
    },
  },
  {
    words: /verifier|challenge|pkce/i,
    says: {
      expected: 'The code_verifier whose SHA-256 is the code_challenge of the authorization request.',
      ...rfc(7636, '4.6'),
    },
  },
  {
    words: /redirect.?uri/i,
    says: { expected: 'A redirect_uri that the client registered, character for character.', ...rfc(9700, '2.1') },
  },
  {
    words: /unknown client|client authentication|client.?secret|invalid.?client|public client/i,
    says: { expected: 'A known client_id, authenticated by the method of its entry.', ...rfc(6749, '2.3') },
  },
  {
    words: /scope/i,
    says: { expected: 'Scopes that the server knows and the client may have.', ...rfc(6749, '3.3') },
  },
  {
    words: /resource|target/i,
    says: { expected: 'An absolute URI without fragment that the client may name as its resource.', ...rfc(8707, '2') },
  },
  {
    words: /device|user.?code|slow.?down/i,
    says: {
      expected: 'A device code that is pending or approved, polled no faster than the interval.',
      ...rfc(8628, '3.5'),
    },
  },
  {
    words: /(?:unknown|expired|used).*\bcode\b|\bcode\b.*(?:unknown|expired|used|redeemed)|authorization code/i,
    says: {
      expected: 'A code that was issued to this client, less than ten minutes ago and not used yet.',
      ...rfc(6749, '4.1.2'),
    },
  },
  {
    words: /refresh/i,
    says: { expected: 'A refresh token of this client that is neither expired, spent nor revoked.', ...rfc(6749, '6') },
  },
  {
    words: /nonce|claims|prompt|response_type|response_mode/i,
    says: { expected: 'Parameters as the authorization request defines them.', ...oidc('3.1.2.1') },
  },
  {
    words: /transaction/i,
    says: {
      expected: 'The login page of this browser’s own request, posted within ten minutes.',
      ...contract('AUT-30 to AUT-47'),
    },
  },
  {
    words: /signature|audience|expired|token/i,
    says: {
      expected: 'An access token signed by one of the published keys, neither expired nor revoked.',
      ...rfc(6750, '3.1'),
    },
  },
];

const byType: Partial<Record<AuditEventType, Explanation>> = {
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
    reference: 'SAML 2.0 core §3.4.1',
    link: 'https://docs.oasis-open.org/security/saml/v2.0/saml-core-2.0-os.pdf',
  },
  saml_attribute_query: {
    expected: 'A SOAP envelope with an AttributeQuery for a known NameID.',
    reference: 'SAML 2.0 core §3.3.2.3',
    link: 'https://docs.oasis-open.org/security/saml/v2.0/saml-core-2.0-os.pdf',
  },
  client_registration_refused: { expected: 'Client metadata that the server can use.', ...rfc(7591, '3.2.2') },
  client_metadata_document_refused: {
    expected: 'A metadata document of an allowed host. The log of the server has the reason.',
    ...contract('CMD-02 to CMD-13'),
  },
  mcp_tool: {
    expected: 'Arguments that the tool’s schema accepts, and a state that allows the change.',
    ...contract('MCP'),
  },
};

/** undefined for what succeeded. */
export function explain(entry: Pick<AuditEntry, 'event_type' | 'status' | 'details'>): Explanation | undefined {
  if (entry.status === 'success') return undefined;
  const reason = reasonOf(entry);
  const matching = reason === undefined ? undefined : byReason.find(({ words }) => words.test(reason));
  return matching?.says ?? byType[entry.event_type];
}

export function reasonOf({ details }: Pick<AuditEntry, 'details'>): string | undefined {
  const reason = details.reason ?? details.error;
  return typeof reason === 'string' ? reason : undefined;
}
