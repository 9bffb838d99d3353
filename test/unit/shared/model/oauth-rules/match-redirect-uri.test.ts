import { expect } from 'chai';
import { matchRedirectUri } from '#shared/model/oauth-rules/match-redirect-uri.ts';
import { verifies } from '#test/support/verifies.ts';

const dev = { lenientRedirectUris: true };
const gated = { lenientRedirectUris: false };

function match(uri: string, uris: readonly string[], patterns: readonly string[] = [], rules = dev) {
  return matchRedirectUri(uri, { uris, patterns, isAnyPort: true }, rules);
}

/** The nearest registered URI, and the parts in which it differs. */
function nearest(uri: string, uris: readonly string[], patterns: readonly string[] = []) {
  const found = match(uri, uris, patterns);
  return found.how === 'none' ? [found.nearest?.registered, found.nearest?.differs_in] : found.how;
}

describe('the comparison of a redirect URI with the registered ones', () => {
  verifies(['RDU-01', 'RDU-05', 'AUT-15'], 'says how it matches', () => {
    expect(match('http://localhost:1/cb', ['http://localhost:1/cb']).how).to.equal('exact');
    expect(match('http://localhost:2/cb', ['http://localhost:1/cb']).how).to.equal('localhost_port');
    expect(match('http://127.0.0.1:2/cb', ['http://127.0.0.1:1/cb'], [], gated).how).to.equal('loopback_port');
    expect(match('https://p-1.example.org/cb', [], ['https://p-*.example.org/cb']).how).to.equal('pattern');
    expect(match('https://p-1.example.org/cb', [], ['https://p-*.example.org/cb'], gated)).to.deep.equal({
      ...{ how: 'none', candidates: [], nearest: undefined },
    });
  });

  verifies('RDU-05', 'has no exception for ports after a logout', () => {
    const registered = { uris: ['http://localhost:1/bye', 'http://127.0.0.1:1/bye'], patterns: [], isAnyPort: false };
    for (const uri of ['http://localhost:2/bye', 'http://127.0.0.1:2/bye']) {
      expect(matchRedirectUri(uri, registered, dev).how).to.equal('none');
    }
  });

  verifies('RDU-07', 'names the parts that differ from the nearest one', () => {
    const app = 'https://app.example:8443/cb?x=1';
    expect(nearest('http://app.example:8443/cb?x=1', [app])).to.deep.equal([app, ['scheme']]);
    expect(nearest('https://APP.example:8443/cb?x=1', [app])).to.deep.equal([app, ['host']]);
    expect(nearest('https://u@app.example:8443/cb?x=1', [app])).to.deep.equal([app, ['host']]);
    expect(nearest('https://app.example/cb?x=1', [app])).to.deep.equal([app, ['port']]);
    expect(nearest('https://app.example:8443/cb/?x=1', [app])).to.deep.equal([app, ['path']]);
    expect(nearest('https://app.example:8443/cb', [app])).to.deep.equal([app, ['query']]);
    expect(nearest('myapp:/other', [app, 'myapp:/cb'])).to.deep.equal(['myapp:/cb', ['path']]);
    expect(nearest('https://app.example/', [app])).to.deep.equal([app, ['port', 'path', 'query']]);
  });

  verifies('RDU-07', 'does not name a port that matches anyway', () => {
    expect(nearest('http://127.0.0.1:5/other', ['http://127.0.0.1/cb'])).to.deep.equal([
      'http://127.0.0.1/cb',
      ['path'],
    ]);
    expect(nearest('http://localhost:5/cb', ['http://127.0.0.1/cb'])).to.deep.equal([
      'http://127.0.0.1/cb',
      ['host', 'port'],
    ]);
  });

  verifies('RDU-07', 'selects the one with the fewest differences, then the longest common beginning', () => {
    const registered = ['https://other.example/cb', 'https://app.example/callback', 'https://app.example/logged-in'];
    expect(nearest('https://app.example/logged-in/', registered)).to.deep.equal([registered[2], ['path']]);
    const pattern = 'https://p-*.example.org/cb';
    expect(nearest('https://p-1.example.org/', registered, [pattern])).to.deep.equal([pattern, ['path']]);
  });
});
