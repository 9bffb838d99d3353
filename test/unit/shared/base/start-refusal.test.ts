// Decides for which failures of a start a stack waits, because a person can correct a file.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { isMendable } from '#shared/base/start-refusal.ts';
import {
  ActivationError,
  ConfigurationRejectedError,
  ConfigurationUnavailableError,
} from '#shared/state/configuration/active-configuration.ts';
import { openPostgresLocation } from '#shared/state/store/postgres/open-postgres-location.ts';
import { StoreRefusedError } from '#shared/state/store/store-refused.ts';
import { silentLogger } from '#test/support/silent-logger.ts';

describe('a failed start', () => {
  it('can be retried if a configuration file, or a file that it names, is at fault', () => {
    const errors = [
      new ConfigurationRejectedError('invalid', 'sp.xml:1:1 is no XML'),
      new ActivationError('jwt.external_keys.private_key: key.pem cannot be read.'),
      new ConfigurationUnavailableError('lock_timeout'),
    ];
    expect(errors.map(isMendable)).to.deep.equal([true, true, true]);
  });

  it('cannot be retried if the store or the program is at fault', () => {
    const errors = [new StoreRefusedError('runtime.path: the disk is full.'), new Error('a mistake'), 'a text'];
    expect(errors.map(isMendable)).to.deep.equal([false, false, false]);
  });

  it('can be retried if a file that runtime.url names is at fault', async () => {
    const directory = join(tmpdir(), 'no-such-directory');
    const url = 'postgres://u@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=gone.pem';
    const refused = await openPostgresLocation(
      { kind: 'postgres', url, schema: 's', poolSize: 1, directory },
      { stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger(), configurationDirectory: directory },
    ).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(isMendable(refused) && refused.message).to.contain(
      `sslrootcert ${join(directory, 'gone.pem')} cannot be read`,
    );
  });
});
