import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { certificatesGiven } from '#shared/state/tls/configured-certificates.ts';
import { certificatesIn } from '#shared/state/tls/generated-certificates.ts';
import { manualClock } from '#test/support/manual-clock.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

const start = Date.parse('2026-11-22T12:00:00Z');

describe('certificates from files', () => {
  let directory: string;
  const file = (name: string) => join(directory, name);
  const clock = manualClock(start);
  const given = (files: { cert?: string; key?: string; ca?: string }, now = clock, log = silentLogger()) => {
    const { cert = 'tls-cert.pem', key = 'tls-key.pem', ca } = files;
    return certificatesGiven(
      { cert: file(cert), key: file(key), ...(ca === undefined ? {} : { ca: file(ca) }) },
      { clock: now, log },
    );
  };
  const sentence = (work: Promise<unknown>) =>
    work.then(
      () => 'accepted',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-tls-'));
    await certificatesIn(directory, ['idp.test'], { clock, stopwatch: systemStopwatch, log: silentLogger() });
    writeFileSync(file('text.pem'), 'no PEM at all\n');
    writeFileSync(file('all.pem'), ['tls-ca-key.pem', 'tls-ca.pem'].map((name) => readFileSync(file(name))).join(''));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  verifies('TLS-06', 'that cannot be used are refused naming key and file', async () => {
    expect(await sentence(given({ cert: 'missing.pem' }))).to.equal(
      `server.tls.cert: ${file('missing.pem')} cannot be read (ENOENT).`,
    );
    expect(await sentence(given({ cert: 'text.pem' }))).to.equal(
      `server.tls.cert: ${file('text.pem')} has no PEM certificate.`,
    );
    expect(await sentence(given({ key: 'text.pem' }))).to.equal(
      `server.tls.key: ${file('text.pem')} has no PEM private key without a passphrase.`,
    );
    expect(await sentence(given({ key: 'tls-ca-key.pem' }))).to.equal(
      `server.tls.key: ${file('tls-ca-key.pem')} is not the key of the certificate in ${file('tls-cert.pem')}.`,
    );
    expect(await sentence(given({ ca: 'text.pem' }))).to.equal(
      `server.tls.ca: ${file('text.pem')} has no PEM certificate.`,
    );
  });

  verifies('TLS-06', 'that have ended are a warning', async () => {
    const warnings: string[] = [];
    const log = Object.assign(silentLogger(), { warn: (message: string) => warnings.push(message) });
    const later = manualClock(start + 400 * 24 * 3600 * 1000);
    expect((await given({}, later, log)).server.names).to.deep.equal(['idp.test']);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain('server.tls.cert').and.contain('expired on 2027-');
  });

  verifies('TLS-16', 'show the certificates of ca alone, whatever else its file holds', async () => {
    const { authorityPem } = await given({ ca: 'all.pem' });
    expect(authorityPem?.trim()).to.equal(readFileSync(file('tls-ca.pem'), 'utf8').trim());
  });
});
