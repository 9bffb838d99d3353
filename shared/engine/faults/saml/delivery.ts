// Faults of the status of a login, of its transport, and of responses to attribute queries and of metadata.
import { plusSeconds } from '#shared/base/clock.ts';
import { certificateBase64 } from '#shared/protocol/saml/certificate-base64.ts';
import { mapElements, replacing, withAttributes, withText } from '#shared/protocol/saml/edit-tree.ts';
import { samlInstant } from '#shared/protocol/saml/instants.ts';
import { statusPrefix } from '#shared/protocol/saml/status.ts';
import { metadataNamespace, protocolNamespace, saml2p, signatureNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { attributeValue, isNamed, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import {
  type Edit,
  isSigned,
  ofLogin,
  rebuilding,
  type SamlChange,
  type SamlSite,
  unsigned,
  withAssertions,
} from './saml-change.ts';

interface Status {
  readonly status: string;
  readonly second: string;
}

const withStatus =
  ({ status, second }: Status): Edit =>
  (response) =>
    replacing(response, [protocolNamespace, 'Status'], () =>
      saml2p('Status', {}, [
        saml2p('StatusCode', { Value: statusPrefix + status }, [
          saml2p('StatusCode', { Value: statusPrefix + second }),
        ]),
      ]),
    );

/** Without an Assertion, so the Response is signed. */
export const statusError = (status: Status): SamlChange =>
  ofLogin(async ({ response, assertion }, answer, site) => {
    const failed = withStatus(status)(withAssertions(unsigned(response), []), site);
    if (failed === undefined) return undefined;
    const wasSigned = isSigned(response) || isSigned(assertion);
    return { ...answer, response: wasSigned ? await site.answerTools.signed(failed) : failed };
  });

export const statusErrorWithAssertion = (status: Status): SamlChange => rebuilding({ response: withStatus(status) });

/** Exactly the document that this service provider received before. */
export const replayed: SamlChange = ofLogin(async (_login, answer, { answerTools }) => {
  const before = await answerTools.lastDelivered();
  return before === undefined ? undefined : { ...answer, written: () => before };
});

export const relayStateMissing = ofLogin((_login, answer) =>
  answer.relayState === undefined ? undefined : { ...answer, relayState: undefined },
);
export const relayStateChanged = (relayState: string): SamlChange =>
  ofLogin((_login, answer) => (answer.relayState === relayState ? undefined : { ...answer, relayState }));
export const wrongBinding = ofLogin((_login, answer) => ({ ...answer, binding: 'redirect' }));

/** In lines of 76 characters (RFC 2045 §6.8). */
export const base64Wrapped = ofLogin((_login, answer) => ({
  ...answer,
  encoded: (base64) => base64.replace(/.{76}(?=.)/g, '$&\r\n'),
}));

export const queryUnsigned: SamlChange = (answer) =>
  isSigned(answer.response) ? { ...answer, response: unsigned(answer.response) } : undefined;

type MetadataSite = Pick<SamlSite, 'now' | 'unknownKey'>;

export function metadataExpired(descriptor: XmlElement, { now }: MetadataSite): XmlElement {
  return withAttributes(descriptor, { validUntil: samlInstant(plusSeconds(now, -3600)) });
}

export function metadataOtherCertificate(descriptor: XmlElement, { unknownKey }: MetadataSite): XmlElement | undefined {
  if (unknownKey === undefined) return undefined;
  const certificate = certificateBase64(unknownKey.certificatePem);
  const exchanged = (key: XmlElement) =>
    mapElements(key, (element) =>
      isNamed(element, signatureNamespace, 'X509Certificate') ? withText(element, certificate) : element,
    );
  // Keys for encryption to this server are unchanged, because they are still read.
  return mapElements(descriptor, (element) =>
    isNamed(element, metadataNamespace, 'KeyDescriptor') && attributeValue(element, 'use') === 'signing'
      ? exchanged(element)
      : element,
  );
}
