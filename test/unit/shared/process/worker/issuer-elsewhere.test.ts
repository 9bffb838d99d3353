import { expect } from 'chai';
import { issuerElsewhere } from '#shared/process/worker/issuer-elsewhere.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { verifies } from '#test/support/verifies.ts';

describe('an issuer where this program does not answer', () => {
  const warningOf = (oauth: object, host: string, port: number) =>
    issuerElsewhere(snapshotOf({ settings: { oauth } }).settings, { host, port });

  verifies(['ISS-01', 'DIS-03'], 'is worth a warning that names the remedy', () => {
    const loopback = '127.0.0.1';
    expect(warningOf({}, loopback, 9000)).to.equal(
      'oauth.issuer is http://127.0.0.1:8000, but this program listens on port 9000. Without a proxy, the published URLs do not work. Set oauth.issuer, or oauth.issuer_from_request: true',
    );
    expect(warningOf({}, loopback, 0)).to.include('listens on a free port');
    expect(warningOf({ issuer: 'http://localhost' }, 'localhost', 8000)).to.include('oauth.issuer is http://localhost');
    expect(warningOf({ issuer: 'https://[::1]/base' }, '::1', 8000)).to.include('listens on port 8000');
  });

  verifies(['ISS-01', 'ISS-02'], 'is none where it may well lead here', () => {
    for (const [oauth, host, port] of [
      [{}, '127.0.0.1', 8000],
      [{}, '0.0.0.0', 9000],
      [{ issuer: 'http://localhost' }, '127.0.0.1', 80],
      [{ issuer: 'https://localhost' }, '127.0.0.1', 443],
      [{ issuer: 'https://idp.example' }, '127.0.0.1', 9000],
      [{ issuer_from_request: true }, '127.0.0.1', 9000],
      [{ issuer_from_proxy_headers: true }, '127.0.0.1', 9000],
    ] as const) {
      expect(warningOf(oauth, host, port), JSON.stringify([oauth, host, port])).to.equal(undefined);
    }
  });
});
