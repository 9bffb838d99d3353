// TLS of one process: the active certificate, renewed while the process runs (TLS-04) and loaded from changed files at
// a reload (TLS-06). Its source was decided at the start of the process or its stack (TLS-01).

import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { ActivationParticipant } from '#shared/state/configuration/active-configuration.ts';
import { wantedNames } from './certificate-names.ts';
import { certificatesGiven } from './configured-certificates.ts';
import {
  type CertificatesDependencies,
  certificatesIn,
  certificatesInMemory,
  type GeneratedCertificates,
} from './generated-certificates.ts';
import type { Authority } from './make-certificates.ts';
import type { ServerCertificate } from './server-certificate.ts';

/** How often to check whether the certificate has to be renewed, or another process has renewed it. */
const lookAgainMilliseconds = 3_600_000;

export interface ServerTls {
  readonly mode: 'auto' | 'files';
  readonly certificate: ServerCertificate;
  /** The certificate of the authority as PEM, where it is known. */
  readonly authorityPem: string | undefined;
  /** Called with each certificate that replaces another. */
  onRenewed(listener: (certificate: ServerCertificate) => void): void;
}

interface OpenedServerTls extends ServerTls, ActivationParticipant {
  /** Checks the names that these settings need, and the remaining validity of the certificate. Never throws. */
  renew(settings: Settings): Promise<void>;
  close(): void;
}

/** undefined: plain HTTP. @throws ActivationError */
export async function openServerTls(
  snapshot: ConfigurationSnapshot,
  boundHost: string,
  deps: CertificatesDependencies & { readonly settingsInForce: () => Settings },
): Promise<OpenedServerTls | undefined> {
  const { tls } = snapshot.settings.server;
  if (tls === undefined) return undefined;
  const { tlsFiles: files, keysDirectory } = snapshot.paths;
  if (files !== undefined) {
    return new ProcessTls('files', await certificatesGiven(files, deps), {
      ...deps,
      again: () => certificatesGiven(files, deps),
    });
  }
  let inMemory: (GeneratedCertificates & { readonly authority: Authority }) | undefined;
  const loadCertificates = async (settings: Settings) => {
    const names = wantedNames(settings, boundHost);
    if (keysDirectory !== undefined) return await certificatesIn(keysDirectory, names, deps);
    inMemory = await certificatesInMemory(names, inMemory, deps);
    return inMemory;
  };
  return new ProcessTls('auto', await loadCertificates(snapshot.settings), { ...deps, look: loadCertificates });
}

interface Certificates {
  readonly authorityPem: string | undefined;
  readonly server: ServerCertificate;
}

interface Source extends CertificatesDependencies {
  readonly settingsInForce: () => Settings;
  /** Checks whether generated certificates have to be renewed. */
  readonly look?: (settings: Settings) => Promise<Certificates>;
  /** Reads the current files of the operator. */
  readonly again?: () => Promise<Certificates>;
}

class ProcessTls implements OpenedServerTls {
  readonly mode: 'auto' | 'files';
  readonly #source: Source;
  readonly #listeners: ((certificate: ServerCertificate) => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #inForce: Certificates;

  constructor(mode: 'auto' | 'files', first: Certificates, source: Source) {
    this.mode = mode;
    this.#inForce = first;
    this.#source = source;
    this.#timer = setInterval(() => void this.renew(source.settingsInForce()), lookAgainMilliseconds);
    this.#timer.unref();
  }

  get certificate(): ServerCertificate {
    return this.#inForce.server;
  }

  get authorityPem(): string | undefined {
    return this.#inForce.authorityPem;
  }

  onRenewed(listener: (certificate: ServerCertificate) => void): void {
    this.#listeners.push(listener);
  }

  async renew(settings: Settings): Promise<void> {
    try {
      const found = await this.#source.look?.(settings);
      if (found !== undefined) this.#adopt(found);
    } catch (error) {
      this.#source.log.error({ err: error }, 'the TLS certificate cannot be renewed, so the current one stays active');
    }
  }

  async prepare(): Promise<() => void> {
    const read = await this.#source.again?.();
    return () => {
      if (read !== undefined) this.#adopt(read);
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #adopt(certificates: Certificates): void {
    const { server } = this.#inForce;
    this.#inForce = certificates;
    const { certificatePem, keyPem } = certificates.server;
    if (certificatePem === server.certificatePem && keyPem === server.keyPem) return;
    for (const listener of this.#listeners) listener(certificates.server);
  }
}
