// The authority and the server's certificate in the keys directory (`server.tls: auto`). The first process makes them
// once, under the lock of the directory, and all other processes read them (TLS-02, TLS-04). Each file appears
// complete, by renaming. A key is written before its certificate, so that a killed process leaves a certificate that
// does not match and is made again.
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dayMilliseconds } from '#shared/base/certificates/write-certificate.ts';
import type { Clock, Stopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock, type DirectoryLock } from '#shared/base/locking/directory-lock.ts';
import type { Logger } from '#shared/base/logger.ts';
import { ActivationError } from '#shared/state/configuration/active-configuration.ts';
import { type Authority, makeAuthority, makeLeaf } from './make-certificates.ts';
import {
  endOf,
  readCertificate,
  readPrivateKey,
  readServerCertificate,
  type ServerCertificate,
} from './server-certificate.ts';

export const tlsFiles = {
  authority: 'tls-ca.pem',
  authorityKey: 'tls-ca-key.pem',
  certificate: 'tls-cert.pem',
  key: 'tls-key.pem',
} as const;

/** A certificate that ends sooner is renewed. */
const renewalDays = 30;
/**
 * Names of a replaced certificate stay in the next one, so that servers of one directory agree. This limit bounds them.
 */
const namesMax = 100;

export interface CertificatesDependencies {
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly log: Logger;
}

export interface GeneratedCertificates {
  readonly authorityPem: string;
  readonly server: ServerCertificate;
}

/**
 * The files in the directory. Those that are missing, lack some of the names, or end soon are made first.
 * @throws ActivationError when there is nothing that can be used and nothing can be made
 */
export async function certificatesIn(
  directory: string,
  names: readonly string[],
  deps: CertificatesDependencies,
): Promise<GeneratedCertificates> {
  const found = await readUsable(directory, deps);
  if (found !== undefined && isUpToDate(found.server, names, deps)) return found;
  try {
    return await underLock(directory, deps, async (lock) => {
      const present = await readUsable(directory, deps);
      if (present !== undefined && isUpToDate(present.server, names, deps)) return present;
      const authority = await authorityOf(directory, lock, deps);
      const kept = present === undefined ? [] : present.server.names;
      const all = [...new Set([...names, ...kept])].slice(0, Math.max(names.length, namesMax));
      const leaf = await makeLeaf(all, authority, deps.clock.now());
      await write(directory, lock, { [tlsFiles.key]: leaf.keyPem, [tlsFiles.certificate]: leaf.certificatePem });
      deps.log.info({ names: all, directory }, 'generated a TLS certificate');
      return justMade(leaf, authority);
    });
  } catch (cause) {
    if (cause instanceof ActivationError) throw cause;
    if (found !== undefined) {
      deps.log.warn(
        { err: cause, directory },
        'the TLS certificate cannot be renewed, so the current one stays active',
      );
      return found;
    }
    throw unwritable(directory, cause);
  }
}

/** The authority alone, made when it is missing. @throws ActivationError */
export async function authorityIn(directory: string, deps: CertificatesDependencies): Promise<string> {
  const found = await readIfThere(directory, tlsFiles.authority);
  if (found !== undefined && readCertificate(found) !== undefined) return found;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return await underLock(directory, deps, async (lock) => (await authorityOf(directory, lock, deps)).certificatePem);
  } catch (cause) {
    throw cause instanceof ActivationError ? cause : unwritable(directory, cause);
  }
}

/** Without a directory: in the memory of this process, with a new authority at every start. */
export async function certificatesInMemory(
  names: readonly string[],
  before: (GeneratedCertificates & { readonly authority: Authority }) | undefined,
  deps: CertificatesDependencies,
): Promise<GeneratedCertificates & { readonly authority: Authority }> {
  if (before !== undefined && isUpToDate(before.server, names, deps)) return before;
  const authority = before?.authority ?? (await makeAuthority(deps.clock.now()));
  const leaf = await makeLeaf(names, authority, deps.clock.now());
  return { authority, ...justMade(leaf, authority) };
}

function justMade(leaf: Awaited<ReturnType<typeof makeLeaf>>, { certificatePem }: Authority): GeneratedCertificates {
  const server = readServerCertificate(leaf.certificatePem, leaf.keyPem);
  if ('problem' in server) throw new Error(`the new certificate: ${server.problem}`);
  return withAuthority(server, certificatePem);
}

/** The handshake includes the authority, so that a browser can be configured to trust its key (docs/guides/tls.md). */
function withAuthority(server: ServerCertificate, authorityPem: string): GeneratedCertificates {
  return { authorityPem, server: { ...server, certificatePem: server.certificatePem + authorityPem } };
}

function isUpToDate(
  { names: borne, expiresAt }: ServerCertificate,
  names: readonly string[],
  { clock }: CertificatesDependencies,
): boolean {
  return expiresAt - clock.now() > renewalDays * dayMilliseconds && names.every((name) => borne.includes(name));
}

/** A matching pair, issued by the authority in the directory and not expired. */
async function readUsable(
  directory: string,
  { clock }: CertificatesDependencies,
): Promise<GeneratedCertificates | undefined> {
  const [authorityPem, certificatePem, keyPem] = await Promise.all(
    [tlsFiles.authority, tlsFiles.certificate, tlsFiles.key].map((name) => readIfThere(directory, name)),
  );
  if (authorityPem === undefined || certificatePem === undefined || keyPem === undefined) return undefined;
  const authority = readCertificate(authorityPem);
  const server = readServerCertificate(certificatePem, keyPem);
  if (authority === undefined || 'problem' in server || server.expiresAt <= clock.now()) return undefined;
  const isOfIt = readCertificate(certificatePem)?.verify(authority.publicKey) === true;
  return isOfIt && endOf(authority) > clock.now() ? withAuthority(server, authorityPem) : undefined;
}

async function authorityOf(directory: string, lock: DirectoryLock, deps: CertificatesDependencies): Promise<Authority> {
  const [certificatePem, keyPem] = await Promise.all(
    [tlsFiles.authority, tlsFiles.authorityKey].map((name) => readIfThere(directory, name)),
  );
  if (certificatePem !== undefined) {
    const certificate = readCertificate(certificatePem);
    const key = keyPem === undefined ? undefined : readPrivateKey(keyPem);
    const fits = certificate !== undefined && key !== undefined && certificate.checkPrivateKey(key);
    if (!fits) {
      throw new ActivationError(
        `server.tls: ${join(directory, tlsFiles.authority)} and ${tlsFiles.authorityKey} beside it are not a pair. Delete both files to have a new authority generated.`,
      );
    }
    if (endOf(certificate) > deps.clock.now()) return { certificate, certificatePem, key };
    deps.log.warn(
      { directory },
      'the TLS authority has expired, so a new one is generated. Trust the new one where you trusted the old one',
    );
  }
  const made = await makeAuthority(deps.clock.now());
  await write(directory, lock, { [tlsFiles.authorityKey]: made.keyPem, [tlsFiles.authority]: made.certificatePem });
  deps.log.info({ directory }, 'generated a TLS authority');
  return made;
}

/** Writes in the order given. */
async function write(directory: string, lock: DirectoryLock, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const staged = join(directory, `${name}.new`);
    const mode = name === tlsFiles.authorityKey || name === tlsFiles.key ? 0o600 : 0o644;
    await writeFile(staged, text, { mode, flush: true });
    // The umask removes bits, and an existing leftover keeps its own mode.
    await chmod(staged, mode);
  }
  if (!lock.stillHeld()) throw new Error('another process has taken over the keys directory');
  for (const name of Object.keys(files)) await rename(join(directory, `${name}.new`), join(directory, name));
}

async function underLock<Result>(
  directory: string,
  { stopwatch }: CertificatesDependencies,
  work: (lock: DirectoryLock) => Promise<Result>,
): Promise<Result> {
  const lock = await acquireDirectoryLock(directory, { stopwatch });
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}

async function readIfThere(directory: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(directory, name), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new ActivationError(`server.tls: ${join(directory, name)} cannot be read.`, { cause: error });
  }
}

function unwritable(directory: string, cause: unknown): ActivationError {
  const remedy = 'Make it writable for this user, or name another directory (jwt.keys_dir)';
  return new ActivationError(
    `server.tls: ${directory} has no certificate, and the server cannot generate one. ${remedy}.`,
    { cause },
  );
}
