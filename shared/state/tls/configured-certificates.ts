// A certificate of the operator (`server.tls: {cert, key, ca}`).
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Clock } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { TlsFiles } from '#shared/model/configuration/settings/tls.ts';
import { ActivationError } from '#shared/state/configuration/active-configuration.ts';
import {
  type CertificateProblem,
  readCertificate,
  readServerCertificate,
  type ServerCertificate,
} from './server-certificate.ts';

interface GivenCertificates {
  /** The content of `ca`; undefined without it. */
  readonly authorityPem: string | undefined;
  readonly server: ServerCertificate;
}

/** @throws ActivationError naming key and file */
export async function certificatesGiven(
  files: TlsFiles,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<GivenCertificates> {
  const [certificatePem, keyPem, authorityPem] = await Promise.all([
    readNamed('cert', files.cert),
    readNamed('key', files.key),
    files.ca === undefined ? undefined : readNamed('ca', files.ca),
  ]);
  const server = readServerCertificate(certificatePem, keyPem);
  if ('problem' in server) throw new ActivationError(sentences[server.problem](files));
  try {
    createSecureContext({ cert: certificatePem, key: keyPem });
  } catch (cause) {
    throw new ActivationError(`server.tls.cert: ${files.cert} cannot be used for TLS.`, { cause });
  }
  if (authorityPem !== undefined && readCertificate(authorityPem) === undefined) {
    throw new ActivationError(`server.tls.ca: ${files.ca} has no PEM certificate.`);
  }
  if (server.expiresAt <= clock.now()) {
    const ended = new Date(server.expiresAt).toISOString();
    log.warn(`server.tls.cert: the certificate in ${files.cert} expired on ${ended}, so clients reject it`);
  }
  // Any other content of the file, a private key for instance, is never shown (TLS-16).
  return { authorityPem: authorityPem === undefined ? undefined : certificatesOnly(authorityPem), server };
}

const sentences: Readonly<Record<CertificateProblem, (files: TlsFiles) => string>> = {
  certificate_unreadable: ({ cert }) => `server.tls.cert: ${cert} has no PEM certificate.`,
  key_unreadable: ({ key }) => `server.tls.key: ${key} has no PEM private key without a passphrase.`,
  key_does_not_fit: ({ cert, key }) => `server.tls.key: ${key} is not the key of the certificate in ${cert}.`,
};

function certificatesOnly(pem: string): string {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return `${found.join('\n')}\n`;
}

async function readNamed(key: keyof TlsFiles, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    throw new ActivationError(`server.tls.${key}: ${path} cannot be read (${code}).`, { cause });
  }
}
