// Every reason the program records, as it is written there, leads to the rule it is about. The reasons are literals: one
// that is reworded must be found a rule again.
import { expect } from 'chai';
import { explain } from '#services/management/pages/audit/explain.ts';
import type { AuditEventType } from '#shared/audit/audit-event.ts';
import { auditEventTypes } from '#shared/audit/audit-event.ts';
import { clientEntryModel, clientFromEntry } from '#shared/configuration/model/client-entry.ts';

type Row = readonly [AuditEventType, reason: string, reference: string];

const rows: readonly Row[] = [
  ['login', 'wrong username or password', 'contract LOG-02, LOG-03'],
  ['login', 'no username was sent', 'contract LOG-02, LOG-03'],
  ['login', 'no password was sent', 'contract LOG-02, LOG-03'],
  ['login', 'no user was chosen', 'contract LOG-05'],
  ['login', 'unknown user', 'contract LOG-05'],
  ['login', 'wrong code', 'RFC 6238 §5.2'],
  ['login', 'no code was sent', 'RFC 6238 §5.2'],
  ['login', 'expired', 'contract LOG-16, LOG-20'],
  ['login', 'the second factor expired', 'contract LOG-16, LOG-20'],
  ['login', 'too many pending second factors', 'contract LOG-21'],
  ['login', 'user or settings changed during the login', 'contract LOG-24'],
  ['authorization_request', 'user or settings changed during the login', 'contract LOG-24'],
  ['authorization_request', 'wrong username or password', 'contract LOG-02, LOG-03'],
  ['authorization_request', 'The login_hint asks for the login of a user who does not exist.', 'contract AUT-30'],
  ['authorization_request', 'The parameter client_id is required.', 'RFC 6749 §4.1.1'],
  ['authorization_request', 'The parameter redirect_uri must be sent only once.', 'RFC 6749 §3.1'],
  ['authorization_request', 'The parameter scope must be sent only once.', 'RFC 6749 §3.1'],
  ['authorization_request', 'The redirect_uri must not have a fragment.', 'RFC 9700 §2.1'],
  [
    'authorization_request',
    'The redirect_uri is not registered for this client: https://evil.example/cb',
    'RFC 9700 §2.1',
  ],
  [
    'authorization_request',
    'This client has no registered redirect_uris, which the security profile oauth21 requires.',
    'RFC 9700 §2.1',
  ],
  ['authorization_request', 'Unknown client_id', 'RFC 6749 §2.2'],
  ['authorization_request', 'The parameter response_type is required.', 'RFC 6749 §3.1.1'],
  ['authorization_request', 'The response_type must be code.', 'RFC 6749 §3.1.1'],
  ['authorization_request', 'The response_mode must be query or form_post.', 'contract AUT-22'],
  ['authorization_request', 'The code_challenge_method must be S256 or plain.', 'RFC 7636 §4.3'],
  ['authorization_request', 'A public client must send a code_challenge (PKCE, RFC 7636).', 'RFC 7636 §4.3'],
  ['authorization_request', 'A code_challenge (PKCE, RFC 7636) is required here.', 'RFC 7636 §4.3'],
  [
    'authorization_request',
    'This security profile wants code_challenge_method=S256; plain is refused.',
    'RFC 7636 §4.3',
  ],
  ['authorization_request', 'The prompt none must stand alone.', 'OpenID Connect Core §3.1.2.1'],
  [
    'authorization_request',
    'prompt=none cannot be satisfied: this server asks for a login every time.',
    'OpenID Connect Core §3.1.2.1',
  ],
  ['authorization_request', 'The parameter request_uri is not supported.', 'OpenID Connect Core §3.1.2.6'],
  ['authorization_request', 'These scopes are not supported by this server: everything', 'RFC 6749 §3.3'],
  [
    'authorization_request',
    "'resource' must be an absolute URI without a fragment (RFC 8707), not: api",
    'RFC 8707 §2',
  ],
  [
    'authorization_request',
    'The transaction_id names no pending authorization request of this browser; begin again at the application.',
    'contract AUT-34 to AUT-43',
  ],
  [
    'authorization_request',
    'Several authorization requests of this browser are pending; name one by its transaction_id.',
    'contract AUT-34 to AUT-43',
  ],
  ['authorization_request', 'Too many logins are in progress at the moment; try again later.', 'contract AUT-45'],
  ['authorization_request', 'The client was removed while its login was in progress.', 'contract AUT-46, CMD-16'],
  ['token_request', "'grant_type' is required and was not sent.", 'RFC 6749 §5.2'],
  ['token_request', "'grant_type' must be one of: authorization_code, client_credentials", 'RFC 6749 §5.2'],
  ['token_request', 'The body must be application/x-www-form-urlencoded.', 'RFC 6749 §3.2'],
  ['token_request', "'code' was sent more than once; it may be sent once.", 'RFC 6749 §3.1'],
  ['token_request', 'Unknown client', 'RFC 6749 §2.3.1'],
  ['token_request', 'Wrong client secret', 'RFC 6749 §2.3.1'],
  ['token_request', 'The Basic user name and client_id differ', 'RFC 6749 §2.3.1'],
  ['token_request', 'The request names no client', 'RFC 6749 §2.3.1'],
  ['token_request', 'A client_secret_post client sent Basic credentials', 'RFC 6749 §2.3.1'],
  [
    'token_request',
    'A public client (token_endpoint_auth_method none) has no credentials to use with this grant_type.',
    'RFC 6749 §4.4',
  ],
  ['token_request', 'Unknown or expired code', 'RFC 6749 §4.1.3'],
  ['token_request', 'The code was used before', 'RFC 6749 §4.1.3'],
  ['token_request', 'The code was issued to another client', 'RFC 6749 §4.1.3'],
  ['token_request', "'code_verifier' does not match the code_challenge of the authorization request.", 'RFC 7636 §4.6'],
  ['token_request', "'code_verifier' is required: the code was requested with PKCE.", 'RFC 7636 §4.6'],
  ['token_request', 'The user who authorized this no longer exists.', 'RFC 6749 §5.2'],
  ['token_request', 'Refresh token reused', 'RFC 6749 §6'],
  ['token_request', 'Refresh token revoked', 'RFC 6749 §6'],
  ['token_request', 'The refresh token does not verify', 'RFC 6749 §6'],
  ['token_request', 'The user name and password do not match a user of this server.', 'contract LOG-02, LOG-03'],
  ['token_request', "'username' must not be blank.", 'contract LOG-02, LOG-03'],
  ['token_request', "'device_code' is past its time; begin the device flow anew.", 'RFC 8628 §3.5'],
  ['token_request', 'Unknown device_code', 'RFC 8628 §3.5'],
  ['token_request', 'The device_code was used before', 'RFC 8628 §3.5'],
  ['token_request', 'The user denied the request.', 'RFC 8628 §3.5'],
  ['token_request', 'extra names a refused claim', 'contract TOK-11, TOK-12'],
  ['token_request', "'exp' must be a whole number of minutes from 1 to 1440.", 'contract TOK-08'],
  ['token_request', 'These scopes were not granted to this refresh token: email', 'RFC 6749 §3.3'],
  ['device_authorization_request', 'Wrong client secret', 'RFC 6749 §2.3.1'],
  ['device_authorization_request', 'A client of a metadata document may not use the device grant', 'contract DEV-06'],
  [
    'device_authorization_request',
    'No further device code can be given out at the moment; try later.',
    'contract DEV-07',
  ],
  ['device_verification', 'unknown user code', 'RFC 8628 §3.3'],
  ['device_verification', 'user code already used', 'RFC 8628 §3.3'],
  ['device_verification', 'user code expired', 'RFC 8628 §3.3'],
  ['userinfo_request', 'The Authorization header holds no Bearer token', 'RFC 6750 §2.1'],
  ['userinfo_request', 'The access token was sent more than once; send it in one place only.', 'RFC 6750 §2.1'],
  ['userinfo_request', 'The token is malformed, expired or not signed by this server', 'RFC 6750 §3.1'],
  ['introspection_request', 'A public client may not introspect', 'RFC 7662 §2.1'],
  ['revocation_request', 'The token was issued to another client', 'RFC 7009 §2.1'],
  ['revocation_request', 'An ID token cannot be revoked', 'RFC 7009 §2.1'],
  ['saml_request', 'Responder/NoPassive', 'SAML 2.0 core §3.4.1'],
  ['saml_request', 'Requester/InvalidNameIDPolicy', 'SAML 2.0 core §3.4.1.1'],
  ['saml_request', 'Requester/UnsupportedBinding', 'SAML 2.0 core §3.4.1'],
  ['saml_request', 'wrong Destination', 'SAML 2.0 bindings §3.5.5.2'],
  ['saml_request', 'no assertion consumer service address', 'SAML 2.0 core §3.4.1'],
  ['saml_request', 'unreadable SAMLRequest', 'SAML 2.0 bindings §3.4.4.1'],
  ['saml_request', 'the request carries no enveloped signature on its root element', 'SAML 2.0 bindings §3.4.4.1'],
  ['saml_request', 'the user of the session no longer exists', 'contract SAM-33'],
  ['saml_attribute_query', 'Requester/UnknownPrincipal', 'SAML 2.0 core §3.3.2'],
  ['saml_attribute_query', 'The AttributeQuery has no Subject.', 'SAML 2.0 core §3.3.2.3'],
  ['client_registration_refused', "'redirect_uris' must not be empty.", 'RFC 7591 §2'],
  ['client_registration_refused', 'The body is not well-formed JSON.', 'RFC 7591 §2'],
  [
    'client_registration_refused',
    'This server holds as many registrations as it may (100); delete one and try again.',
    'contract DCR-19',
  ],
  ['mcp_tool', 'conflict', 'contract MCP'],
];

const failed = (event_type: AuditEventType, reason?: string) =>
  ({ event_type, status: 'failed', details: reason === undefined ? {} : { reason } }) as const;

describe('explanation of a refusal', () => {
  for (const [type, reason, reference] of rows) {
    it(`${type}: ${reason}`, () => {
      expect(explain(failed(type, reason))?.reference).to.equal(reference);
    });
  }

  it('says nothing about what succeeded', () => {
    expect(explain({ event_type: 'login', status: 'success', details: {} })).to.equal(undefined);
  });

  it('has an answer for every type that can fail, whatever the reason', () => {
    const never = new Set([
      'logout_request',
      'logout',
      'key_rotation',
      'client_registered',
      'client_registration_deleted',
      'runtime_identity_created',
      'runtime_identity_deleted',
      'runtime_identities_reset',
      'runtime_identity_promoted',
      'runtime_identity_promotion_recovered',
      'runtime_identity_promotion_abandoned',
      'runtime_identity_removed_on_reload',
    ]);
    for (const type of auditEventTypes.filter((name) => !never.has(name))) {
      expect(explain(failed(type, 'something new'))?.expected, type).to.be.a('string');
    }
  });

  it('tells what the client is registered with', () => {
    const client = clientFromEntry(
      clientEntryModel.parse({
        client_id: 'web',
        client_secret: 's',
        redirect_uris: ['https://web.example/cb'],
        scope: 'openid email',
        allowed_resources: ['https://api.example'],
      }),
    );
    const registered = (type: AuditEventType, reason: string) => explain(failed(type, reason), client)?.registered;
    expect(registered('authorization_request', 'The redirect_uri is not registered for this client: x')).to.deep.equal({
      label: 'Registered',
      values: ['https://web.example/cb'],
    });
    expect(registered('token_request', 'Wrong client secret')).to.deep.equal({
      label: 'Its method',
      values: ['client_secret_basic'],
    });
    expect(registered('token_request', 'These scopes are not allowed for this client: x')?.values).to.deep.equal([
      'openid',
      'email',
    ]);
    expect(
      registered('token_request', "'resource' names one that is not allowed for this client: x")?.values,
    ).to.deep.equal(['https://api.example']);
    expect(registered('login', 'wrong code')).to.equal(undefined);
  });
});
