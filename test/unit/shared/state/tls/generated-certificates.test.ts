import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { certificateName } from '#shared/base/certificates/host-names.ts';
import { systemStopwatch } from '#shared/base/clock.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { ActivationError } from '#shared/state/configuration/active-configuration.ts';
import { wantedNames } from '#shared/state/tls/certificate-names.ts';
import { authorityIn, certificatesIn } from '#shared/state/tls/generated-certificates.ts';
import { openServerTls } from '#shared/state/tls/open-server-tls.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { manualClock } from '#test/support/manual-clock.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

const day = 24 * 3600 * 1000;
const start = Date.parse('2026-11-22T12:00:00Z');

describe('certificates made in the keys directory', () => {
  let root: string;
  let directory: string;
  const file = (name: string) => join(directory, name);
  const parsed = (name: string) => new X509Certificate(readFileSync(file(name)));
  const deps = (clock = manualClock(start)) => ({ clock, stopwatch: systemStopwatch, log: silentLogger() });
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'test-idp-tls-'));
    directory = join(root, 'keys');
    mkdirSync(directory);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  verifies(
    'TLS-02',
    'are one authority and one leaf of EC P-256 with SHA-256, keys readable by their owner alone',
    async () => {
      const made = await Promise.all(Array.from({ length: 6 }, () => certificatesIn(directory, ['localhost'], deps())));
      expect(new Set(made.map(({ server }) => server.certificatePem)).size).to.equal(1);
      expect(new Set(made.map(({ authorityPem }) => authorityPem)).size).to.equal(1);
      expect(readdirSync(directory).sort()).to.deep.equal([
        'tls-ca-key.pem',
        'tls-ca.pem',
        'tls-cert.pem',
        'tls-key.pem',
      ]);
      for (const key of ['tls-ca-key.pem', 'tls-key.pem']) expect(statSync(file(key)).mode & 0o777).to.equal(0o600);
      const [authority, leaf] = [parsed('tls-ca.pem'), parsed('tls-cert.pem')];
      for (const { publicKey } of [authority, leaf]) {
        expect(publicKey.asymmetricKeyType).to.equal('ec');
        expect(publicKey.asymmetricKeyDetails?.namedCurve).to.equal('prime256v1');
      }
      const lifetime = ({ validFrom, validTo }: X509Certificate) => (Date.parse(validTo) - Date.parse(validFrom)) / day;
      expect(Math.ceil(lifetime(authority))).to.equal(3650);
      expect(lifetime(leaf)).to.be.at.most(397).and.above(396);
      expect(authority.ca).to.equal(true);
      expect(leaf.ca).to.equal(false);
      expect(leaf.verify(authority.publicKey)).to.equal(true);
      expect(authority.verify(authority.publicKey)).to.equal(true);
      // 06 08 2a8648ce3d040302 is the identifier of ecdsa-with-SHA256, inside and outside of what is signed.
      for (const { raw } of [authority, leaf])
        expect(raw.toString('hex').split('06082a8648ce3d040302')).to.have.length(3);
    },
  );

  verifies('TLS-03', 'name loopback, the machine, the host bound, that of the issuer and tls_names', async () => {
    const { settings } = snapshotOf({
      settings: {
        oauth: { issuer: 'https://idp.example:8443/base' },
        server: { tls: 'auto', tls_names: ['Idp.test', '*.idp.test', '192.0.2.7', '2001:DB8::7'] },
      },
    });
    // Some machines have a name that no certificate can bear, or that of every machine.
    const machine = certificateName(hostname()) ?? 'localhost';
    const usual = [...new Set(['localhost', '127.0.0.1', '::1', machine])];
    const further = ['idp.example', 'idp.test', '*.idp.test', '192.0.2.7', '2001:db8::7'];
    expect(wantedNames(settings, '0.0.0.0')).to.deep.equal([...usual, ...further]);
    expect(wantedNames(settings, '::')).to.deep.equal([...usual, ...further]);
    expect(wantedNames(settings, '192.0.2.9')).to.deep.equal([...usual, '192.0.2.9', ...further]);
    await certificatesIn(directory, wantedNames(settings, '0.0.0.0'), deps());
    const leaf = parsed('tls-cert.pem');
    for (const name of ['localhost', machine, 'idp.example', 'idp.test', 'any.idp.test']) {
      expect(leaf.checkHost(name, { subject: 'never' }), name).to.be.a('string');
    }
    for (const address of ['127.0.0.1', '::1', '192.0.2.7', '2001:db8::7'])
      expect(leaf.checkIP(address)).to.equal(address);
    expect(leaf.checkHost('other.example')).to.equal(undefined);
    expect(leaf.checkIP('192.0.2.8')).to.equal(undefined);
  });

  verifies('TLS-04', 'are made anew for a further name, before they end and under another authority', async () => {
    const clock = manualClock(start);
    const first = await certificatesIn(directory, ['localhost'], deps(clock));
    clock.advance(365 * day);
    expect(await certificatesIn(directory, ['localhost'], deps(clock))).to.deep.equal(first);
    clock.advance(day + day);
    const renewed = await certificatesIn(directory, ['localhost'], deps(clock));
    expect(renewed.server.certificatePem).not.to.equal(first.server.certificatePem);
    expect(renewed.server.expiresAt - clock.now()).to.be.above(395 * day);
    const wider = await certificatesIn(directory, ['idp.test'], deps(clock));
    // Whoever else uses the directory keeps what it wanted.
    expect(wider.server.names).to.have.members(['idp.test', 'localhost']);
    expect([renewed.authorityPem, wider.authorityPem]).to.deep.equal([first.authorityPem, first.authorityPem]);

    rmSync(file('tls-ca.pem'));
    rmSync(file('tls-ca-key.pem'));
    const other = await certificatesIn(directory, ['idp.test'], deps(clock));
    expect(other.authorityPem).not.to.equal(first.authorityPem);
    expect(parsed('tls-cert.pem').verify(parsed('tls-ca.pem').publicKey)).to.equal(true);
  });

  verifies('TLS-04', 'are renewed while the server runs, and what another process made is taken over', async () => {
    const clock = manualClock(start);
    const snapshot = snapshotOf({
      directory: join(root, 'config'),
      settings: { server: { tls: 'auto' }, jwt: { keys_dir: '../keys' } },
    });
    let settings: Settings = snapshot.settings;
    const tls = await openServerTls(snapshot, '127.0.0.1', { ...deps(clock), settingsInForce: () => settings });
    if (tls === undefined) throw new Error('no TLS');
    try {
      const seen: string[] = [];
      tls.onRenewed(({ certificatePem }) => seen.push(certificatePem));
      await tls.renew(settings);
      expect(seen).to.deep.equal([]);
      settings = { ...settings, server: { ...settings.server, tls_names: ['idp.test'] } };
      await tls.renew(settings);
      expect(seen).to.deep.equal([tls.certificate.certificatePem]);
      expect(tls.certificate.names).to.include('idp.test');
      clock.advance(380 * day);
      const byAnother = await certificatesIn(directory, ['localhost'], deps(clock));
      await tls.renew({ ...settings, server: { ...settings.server, tls_names: [] } });
      expect(seen[1]).to.equal(byAnother.server.certificatePem);
      expect(tls.authorityPem).to.equal(byAnother.authorityPem);
    } finally {
      tls.close();
    }
  });

  it('survive whatever a killed process left, and refuse an authority whose key is another one', async () => {
    const first = await certificatesIn(directory, ['localhost'], deps());
    writeFileSync(file('tls-key.pem'), readFileSync(file('tls-ca-key.pem')));
    writeFileSync(file('tls-cert.pem.new'), 'half');
    const mended = await certificatesIn(directory, ['localhost'], deps());
    expect(mended.authorityPem).to.equal(first.authorityPem);
    expect(parsed('tls-cert.pem').verify(parsed('tls-ca.pem').publicKey)).to.equal(true);

    rmSync(file('tls-cert.pem'));
    writeFileSync(file('tls-ca-key.pem'), readFileSync(file('tls-key.pem')));
    const refusal = await certificatesIn(directory, ['localhost'], deps()).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(ActivationError);
    expect(String(refusal)).to.contain('tls-ca.pem').and.contain('Delete both files').and.not.contain('PRIVATE');
  });

  it('begin with the authority alone when that is all that is asked for', async () => {
    const pem = await authorityIn(directory, deps());
    expect(readdirSync(directory).sort()).to.deep.equal(['tls-ca-key.pem', 'tls-ca.pem']);
    expect((await certificatesIn(directory, ['localhost'], deps())).authorityPem).to.equal(pem);
  });
});
