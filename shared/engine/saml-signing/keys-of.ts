import { type KeyObject, X509Certificate } from 'node:crypto';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';

/** The keys. One of them must have signed a message of a registered service provider (SPM-10). */
export function keysOf({ certificates }: Pick<ServiceProvider, 'certificates'>): readonly KeyObject[] {
  return certificates.map((pem) => new X509Certificate(pem).publicKey);
}
