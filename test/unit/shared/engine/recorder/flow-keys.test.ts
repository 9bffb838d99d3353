// The keys by which exchanges are grouped into flows.
import { expect } from 'chai';
import { fingerprintsWith } from '#shared/engine/recorder/fingerprints.ts';
import { flowKeysOf } from '#shared/engine/recorder/flow-keys.ts';
import type { RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import { observedExchange } from '#test/support/observed-exchange.ts';

const uri = 'urn:ietf:params:oauth:request_uri:pushed';

function keysOf(endpoint: RecordedEndpoint, path: string, sent: Readonly<Record<string, string>>, answer: object) {
  const observed = observedExchange({ endpoint, path, parameters: Object.entries(sent), answer: { ...answer } });
  return flowKeysOf(observed, undefined, fingerprintsWith('a key'));
}

describe('the keys of a flow', () => {
  it('connect /authorize with /par', () => {
    const pushed = keysOf('pushed_authorization_request', '/par', {}, { request_uri: uri, expires_in: 60 });
    const brought = keysOf('authorize', '/authorize', { request_uri: uri }, { transaction_id: 't' });
    expect(pushed).to.deep.equal({ named: [], made: [`pushed:${uri}`] });
    expect(brought).to.deep.equal({ named: [`pushed:${uri}`], made: ['transaction:t'] });
  });

  it('do not include a client’s own request_uri, which many logins share', () => {
    const own = { request_uri: 'https://client.example/object' };
    expect(keysOf('authorize', '/authorize', own, {})).to.deep.equal({ named: [], made: [] });
  });
});
