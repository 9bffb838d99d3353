// What the log shows of an error, and what it never shows.
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { createLogger } from '#shared/logger.ts';

describe('the log', () => {
  const logged = (members: object): Record<string, unknown> & { err?: Record<string, unknown> } => {
    const stream = new PassThrough();
    createLogger({ name: 'test', pretty: stream }).warn(members, 'a line');
    return JSON.parse(String(stream.read()));
  };
  const failing = (code: string) => Object.assign(new Error('it failed'), { code });

  it("names the system's and SQLite's code of a fault", () => {
    for (const code of ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'ENOSPC']) {
      const { err } = logged({ err: failing(code) });
      expect(err).to.include({ fault: code, message: 'it failed' });
      expect(err).not.to.have.property('code');
    }
  });

  it('shows no authorization code, wherever it stands', () => {
    const secret = 'k3jQfO0bNnJ2mD7cE9hR5sT1uV4wX6yZ8aB0cD2eF4g';
    for (const members of [{ code: secret }, { form: { code: secret } }, { err: failing(secret) }]) {
      expect(JSON.stringify(logged(members))).not.to.contain(secret);
    }
  });
});
