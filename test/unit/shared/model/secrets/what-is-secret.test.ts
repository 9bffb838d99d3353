// Secrets in URLs, as the audit and the recorder store them.
import { expect } from 'chai';
import { Parameters } from '#shared/base/parameters.ts';
import { auditedParameters, withoutSecretsOfAddresses } from '#shared/model/audit/audited-request.ts';
import { isSecretName } from '#shared/model/secrets/what-is-secret.ts';
import { verifies } from '#test/support/verifies.ts';

describe('parameter names of secrets', () => {
  for (const name of [
    'pwd',
    'user_pwd',
    'pass',
    'db-pass',
    'passphrase',
    'passcode',
    'private_key',
    'privateKey',
    'api_key',
    'X-Api-Key',
  ]) {
    verifies('REC-04', `include ${name}`, () => void expect(isSecretName(name)).to.equal(true));
  }
  for (const name of ['bypass', 'compass', 'username', 'token_type', 'scope', 'passive', 'IsPassive']) {
    verifies('REC-04', `do not include ${name}`, () => void expect(isSecretName(name)).to.equal(false));
  }
});

describe('the parameters in the audit', () => {
  const kept = (value: string) =>
    auditedParameters(Parameters.parse(`redirect_uri=${encodeURIComponent(value)}`), Parameters.parse(''))[0]?.[1];

  verifies('AUD-13', 'hide secrets in URLs', () => {
    for (const [sent, shown] of [
      ['https://app.example/cb?tenant=a', 'https://app.example/cb?tenant=a'],
      ['https://app.example/cb?tenant=a&pwd=hunter2#x', 'https://app.example/cb?tenant=a&pwd=[redacted]#x'],
      ['https://app.example/cb#access_token=abc', 'https://app.example/cb#access_token=[redacted]'],
      ['https://joe:hunter2@app.example/cb', 'https://[redacted]@app.example/cb'],
      ['https://a@b:hunter2@app.example/?q=@', 'https://[redacted]@app.example/?q=@'],
      ['com.app:/cb?code=1', 'com.app:/cb?code=[redacted]'],
      [
        `https://app.example/cb?next=${encodeURIComponent('/home?client_secret=hunter2')}`,
        `https://app.example/cb?next=${encodeURIComponent('/home?client_secret=[redacted]')}`,
      ],
      [
        `https://app.example/cb?error_description=${encodeURIComponent('not this: https://b.example/?pwd=hunter2')}`,
        `https://app.example/cb?error_description=${encodeURIComponent('not this: https://b.example/?pwd=[redacted]')}`,
      ],
    ] as const) {
      expect(kept(sent), sent).to.equal(shown);
    }
  });
});

describe('the reason of a rejection in the audit', () => {
  verifies('AUD-13', 'hides secrets of URLs, wherever they occur', () => {
    const details = {
      reason:
        'It is not registered: https://joe:hunter2@app.example/cb?a=1&pwd=hunter2 is not com.app:/cb?code=hunter2',
      sent: ['https://app.example/#access_token=hunter2', 17, null],
      body: '{"redirect_uris":["https://app.example/cb?client_secret=hunter2","https://b.example/cb"]}',
    };
    expect(withoutSecretsOfAddresses(details)).to.deep.equal({
      reason:
        'It is not registered: https://[redacted]@app.example/cb?a=1&pwd=[redacted] is not com.app:/cb?code=[redacted]',
      sent: ['https://app.example/#access_token=[redacted]', 17, null],
      body: '{"redirect_uris":["https://app.example/cb?client_secret=[redacted]","https://b.example/cb"]}',
    });
  });

  verifies('AUD-13', 'may contain halves of surrogate pairs', () => {
    const shown = withoutSecretsOfAddresses({
      sent: 'https://a.example/?u=https://b.example/?pwd=x&v=com.b:/?pwd=\ud800x',
    });
    expect(JSON.stringify(shown)).to.not.contain('pwd=x').and.not.contain('ud800');
    const nested = withoutSecretsOfAddresses({ sent: 'https://a.example/?u=\ud800 com.b:/?x=1' });
    expect(nested.sent).to.be.a('string');
  });

  verifies('AUD-13', 'is searched in linear time', () => {
    const began = process.cpuUsage().user;
    withoutSecretsOfAddresses({ reason: `${'a'.repeat(1_000_000)} :/x ${'b:'.repeat(500_000)}` });
    expect(process.cpuUsage().user - began).to.be.below(5_000_000);
  });
});
