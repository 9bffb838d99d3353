import { type KeyObject, X509Certificate } from 'node:crypto';
import type { ServiceProvider } from '#shared/configuration/model/service-provider.ts';

/** By which a message of a registered service provider has to be signed (SPM-10). */
export function keysOf({ certificates }: Pick<ServiceProvider, 'certificates'>): readonly KeyObject[] {
  return certificates.map((pem) => new X509Certificate(pem).publicKey);
}
