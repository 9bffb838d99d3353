// What the audit page says about a failed request.
import { expect } from 'chai';
import { explain } from '#services/management/pages/audit/explain.ts';

const failed = (event_type: 'login' | 'token_request' | 'authorization_request' | 'saml_request', reason?: string) =>
  explain({ event_type, status: 'failed', details: reason === undefined ? {} : { reason } })?.reference;

describe('explain', () => {
  it('says nothing of a success', () => {
    expect(explain({ event_type: 'login', status: 'success', details: {} })).to.equal(undefined);
  });

  it('names the rule that the reason is about', () => {
    expect(failed('login', 'wrong username or password')).to.equal('contract LOG-02, LOG-03');
    expect(failed('login', 'wrong code')).to.equal('RFC 6238 §5.2');
    expect(failed('authorization_request', 'A public client must send a code_challenge (PKCE).')).to.equal(
      'RFC 7636 §4.6',
    );
    expect(failed('authorization_request', 'The redirect_uri is not registered')).to.equal('RFC 9700 §2.1');
    expect(failed('token_request', 'Wrong client secret')).to.equal('RFC 6749 §2.3');
    expect(failed('token_request', 'Unknown or expired code')).to.equal('RFC 6749 §4.1.2');
    expect(failed('token_request', 'These scopes are not supported: nope')).to.equal('RFC 6749 §3.3');
    expect(failed('token_request', 'The device code has expired')).to.equal('RFC 8628 §3.5');
  });

  it('falls back to the rule of the event type', () => {
    expect(failed('token_request', 'something else')).to.equal('RFC 6749 §5.2');
    expect(failed('saml_request')).to.equal('SAML 2.0 core §3.4.1');
  });
});
