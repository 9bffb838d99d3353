// The form of messages to one service provider: the values of its entry, else those of `saml` (SRE). Unregistered
// service providers get those of `saml`.
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { type SigningAlgorithms, signatureMethods } from '#shared/protocol/saml/signature-algorithms.ts';

type SamlSettings = Settings['saml'];

/** The algorithms of everything that is signed for this service provider. undefined: an unregistered one (SRE-04). */
export function signingAlgorithms(
  saml: Pick<SamlSettings, 'signature_algorithm' | 'digest_algorithm'>,
  serviceProvider: Pick<ServiceProvider, 'signature_algorithm' | 'digest_algorithm'> | undefined,
): SigningAlgorithms {
  const signature = serviceProvider?.signature_algorithm ?? saml.signature_algorithm;
  const digest = serviceProvider?.digest_algorithm ?? saml.digest_algorithm ?? signatureMethods[signature].hash;
  return { signature, digest };
}
