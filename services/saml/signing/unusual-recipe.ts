// How a response is signed that a fault alters: like a correct one, except for the alteration.
import type { UnusualSignature } from '#shared/engine/exchange/saml-answer.ts';
import { recipeOf, type SignatureRecipe } from '#shared/engine/saml-signing/sign-element.ts';
import { certificateBase64 } from '#shared/protocol/saml/certificate-base64.ts';
import type { SigningAlgorithms } from '#shared/protocol/saml/signature-algorithms.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';

export function unusualRecipe(
  active: SigningKey,
  { key = active, certificatePem, algorithm, shaped, finished }: UnusualSignature,
  algorithms: SigningAlgorithms,
): SignatureRecipe {
  const usual = recipeOf(key, algorithms);
  return {
    ...usual,
    ...(certificatePem === undefined
      ? {}
      : { certificate: certificatePem === null ? undefined : certificateBase64(certificatePem) }),
    ...(algorithm === undefined
      ? {}
      : {
          method: algorithm.method,
          digest: algorithm.digest,
          sign: async (signedInfo: Buffer) => algorithm.sign(signedInfo),
        }),
    ...(shaped === undefined ? {} : { shaped }),
    ...(finished === undefined ? {} : { finished }),
  };
}
