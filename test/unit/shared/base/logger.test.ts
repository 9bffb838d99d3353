// What the log shows of an error, and what it hides.
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { createLogger } from '#shared/base/logger.ts';
import { logSecrets } from '#shared/model/secrets/what-is-secret.ts';

describe('the log', () => {
  const logged = (members: object): Record<string, unknown> & { err?: Record<string, unknown> } => {
    const stream = new PassThrough();
    createLogger({ name: 'test', pretty: stream, secrets: logSecrets }).warn(members, 'a line');
    return JSON.parse(String(stream.read()));
  };
  const failing = (code: string) => Object.assign(new Error('it failed'), { code });

  it("names the system's and SQLite's error code", () => {
    for (const code of ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'ENOSPC']) {
      const { err } = logged({ err: failing(code) });
      expect(err).to.include({ fault: code, message: 'it failed' });
      expect(err).not.to.have.property('code');
    }
  });

  it('escapes control characters of received text, and shortens it so that the log cannot fill the disk', () => {
    const { client_id } = logged({ client_id: 'a\u009b2J\u202eb\u2066c\u007f' });
    expect(client_id).to.equal('a\\u009b2J\\u202eb\\u2066c\\u007f');
    expect(logged({ issuer: 'x'.repeat(900_000) }).issuer).to.equal(`${'x'.repeat(1024)}… (900000 characters)`);
    const name = 'Łukasz, 例え, 👩‍🚀';
    expect(logged({ username: name, status: 400, none: undefined })).to.include({ username: name, status: 400 });
  });

  it('hides authorization codes everywhere', () => {
    const secret = 'k3jQfO0bNnJ2mD7cE9hR5sT1uV4wX6yZ8aB0cD2eF4g';
    for (const members of [{ code: secret }, { form: { code: secret } }, { err: failing(secret) }]) {
      expect(JSON.stringify(logged(members))).not.to.contain(secret);
    }
  });
});
