// The form of messages to one service provider: the values of its entry, else those of `saml` (SRE). Unregistered
// service providers get those of `saml`.
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { type SigningAlgorithms, signatureMethods } from '#shared/protocol/saml/signature-algorithms.ts';

type SamlSettings = Settings['saml'];

/** The signed parts of a login. `none`: not even an error is signed (SRE-01, SRE-02). */
export function signedPartOf(
  saml: Pick<SamlSettings, 'sign'>,
  serviceProvider: Pick<ServiceProvider, 'sign'> | undefined,
): SamlSettings['sign'] | 'none' {
  return serviceProvider?.sign ?? saml.sign;
}

/** The algorithms of everything that is signed for this service provider. undefined: an unregistered one (SRE-04). */
export function signingAlgorithms(
  saml: Pick<SamlSettings, 'signature_algorithm' | 'digest_algorithm'>,
  serviceProvider: Pick<ServiceProvider, 'signature_algorithm' | 'digest_algorithm'> | undefined,
): SigningAlgorithms {
  const signature = serviceProvider?.signature_algorithm ?? saml.signature_algorithm;
  const digest = serviceProvider?.digest_algorithm ?? saml.digest_algorithm ?? signatureMethods[signature].hash;
  return { signature, digest };
}

/** The validity of an assertion. */
export interface Validity {
  /** From its issue to its end. */
  readonly lifetimeSeconds: number;
  /** From its begin to its issue. */
  readonly notBeforeSeconds: number;
}

/** Of an assertion for a login (SRE-06). */
export function validityOf(
  saml: Pick<SamlSettings, 'assertion_lifetime_seconds' | 'not_before_seconds'>,
  serviceProvider: Pick<ServiceProvider, 'assertion_lifetime_seconds' | 'not_before_seconds'> | undefined,
): Validity {
  return {
    lifetimeSeconds: serviceProvider?.assertion_lifetime_seconds ?? saml.assertion_lifetime_seconds,
    notBeforeSeconds: serviceProvider?.not_before_seconds ?? saml.not_before_seconds,
  };
}

/** SessionNotOnOrAfter, as its key says: `session`, `never` or seconds. */
export function sessionEndOf(
  saml: Pick<SamlSettings, 'session_not_on_or_after'>,
  serviceProvider: Pick<ServiceProvider, 'session_not_on_or_after'> | undefined,
): SamlSettings['session_not_on_or_after'] {
  return serviceProvider?.session_not_on_or_after ?? saml.session_not_on_or_after;
}
