// `test-idp ca`: the certificate of the authority that clients must trust when this configuration uses TLS (TLS-11). It
// is created if it is missing, so that clients can trust it before the first start.
import { readFileSync } from 'node:fs';
import { systemClock, systemStopwatch } from '#shared/base/clock.ts';
import { configDirectoryIfAny, readOptions } from './command-line.ts';
import { declaredConfiguration } from './instance-address.ts';
import { optionsOf } from './options.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { path: asPath, 'config-dir': option } = readOptions(args, optionsOf.ca);
  const directory = configDirectoryIfAny(option);
  const declared = await declaredConfiguration(directory);
  const { tlsFiles: files, keysDirectory } = declared.paths;
  const [{ authorityFile }, { authorityIn }, { openLogger }] = await Promise.all([
    import('#shared/state/tls/authority-file.ts'),
    import('#shared/state/tls/generated-certificates.ts'),
    import('#shared/process/worker/open-logger.ts'),
  ]);
  const path = authorityFile(declared);
  if (path === undefined) {
    throw new Error(
      directory === undefined
        ? 'Without a configuration directory, every start generates a new authority. Request /ca.pem from the running instance, or create a directory with `test-idp init`.'
        : 'server.tls has cert and key, but no ca. Add ca to print the authority.',
    );
  }
  if (files === undefined && keysDirectory !== undefined) {
    const log = await openLogger('test-idp ca', 'WARNING');
    await authorityIn(keysDirectory, { clock: systemClock, stopwatch: systemStopwatch, log });
  }
  process.stdout.write(asPath === true ? `${path}\n` : readFileSync(path, 'utf8'));
  return 0;
}
