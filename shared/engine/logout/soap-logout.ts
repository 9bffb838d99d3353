// A LogoutRequest that is sent directly to a service provider by one SOAP 1.1 POST, and its signed response (SLO-15;
// SAML bindings §3.2).

import { type NoResponse, type OutgoingAnswer, sendOnce } from '#shared/base/outgoing/send-once.ts';
import { keysOf } from '#shared/engine/saml-signing/keys-of.ts';
import { signElement } from '#shared/engine/saml-signing/sign-element.ts';
import { verifyEnvelopedSignature } from '#shared/engine/saml-signing/verify-enveloped.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import type { DeliveryAnswer } from '#shared/model/domain/logout-delivery.ts';
import { issuerOf, readLogoutResponse } from '#shared/model/saml-rules/logout-messages.ts';
import { signingAlgorithms } from '#shared/model/saml-rules/response-form.ts';
import { soapEnvelope } from '#shared/protocol/saml/soap.ts';
import { decodeXml } from '#shared/protocol/saml/xml/decode-xml.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import {
  attributeValue,
  elementsInScope,
  withInheritedNamespaces,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import type { LogoutContext } from './logout-context.ts';
import { type Attempt, type RecordingContext, recordDelivery } from './record-delivery.ts';

const answerBytesMax = 256 * 1024;

interface AskedBySoap {
  readonly serviceProvider: ServiceProvider;
  readonly address: string;
  /** For the recorder. */
  readonly about: Pick<Attempt, 'flows' | 'username'>;
}

/** `root`: without signature. Never throws for any response of the service provider. */
export async function logOutBySoap(
  root: XmlElement,
  { serviceProvider, address, about }: AskedBySoap,
  context: RecordingContext & Pick<LogoutContext, 'signer'>,
): Promise<DeliveryAnswer> {
  const { snapshot, signer, clock } = context;
  const { delivery_timeout_ms: timeoutMilliseconds, verify_tls: verifyTls } = snapshot.settings.logout;
  const { saml } = snapshot.settings;
  const c14n = saml.c14n_algorithm;
  const algorithms = signingAlgorithms(saml, serviceProvider);
  const style = c14n === 'exc_c14n' ? 'prefixed' : 'default_namespace';
  const signed = await signElement(root, { key: await signer.signingKey(), algorithms, c14n, layout: 'compact' });
  const contentType = 'text/xml; charset=utf-8';
  const body = soapEnvelope(signed, style);
  const begunAt = clock.real();
  const answer = await sendOnce(new URL(address), {
    method: 'POST',
    headers: {
      'Content-Type': contentType,
      SOAPAction: '"http://www.oasis-open.org/committees/security"',
    },
    body,
    ...{ timeoutMilliseconds, verifyTls, answerBytesMax },
  });
  const meant = await meaningOf(answer, serviceProvider, attributeValue(root, 'ID'));
  const answered = answer.status === undefined ? undefined : answer.body.toString('utf8');
  await recordDelivery(
    {
      ...{ endpoint: 'saml_logout', ...about, address, contentType, begunAt, sp: serviceProvider.entity_id },
      ...{ parameters: [], soap: { request: Buffer.from(body), answer: answered } },
      ...{ answer: meant, isDelivered: meant.isConfirmed === true },
    },
    context,
  );
  return meant;
}

async function meaningOf(
  answer: OutgoingAnswer | NoResponse,
  serviceProvider: ServiceProvider,
  requestId: string | undefined,
): Promise<DeliveryAnswer> {
  if (answer.status === undefined) return answer;
  const { status, body } = answer;
  if (status !== 200) return { status, reason: `status ${status}`, isConfirmed: status === 400 ? false : undefined };
  const reason = await whyUnconfirmed(body, serviceProvider, requestId);
  return { status, reason, isConfirmed: reason === undefined };
}

/** undefined: the response confirms that the session has ended there. */
async function whyUnconfirmed(
  body: Buffer,
  serviceProvider: ServiceProvider,
  requestId: string | undefined,
): Promise<string | undefined> {
  try {
    const elements = [...elementsInScope(parseXml(decodeXml(body)))];
    const answer = elements.find(({ element }) => element.local === 'LogoutResponse');
    if (answer === undefined) return 'it did not return a LogoutResponse';
    // Its namespaces may be declared on the Envelope.
    const alone = withInheritedNamespaces(answer.element, answer.around);
    const { root } = await verifyEnvelopedSignature(alone, keysOf(serviceProvider));
    const read = readLogoutResponse(root);
    if (typeof read === 'string' || issuerOf(root) !== serviceProvider.entity_id || read.inResponseTo !== requestId) {
      return 'its LogoutResponse belongs to another request';
    }
    return read.isSuccess ? undefined : 'it returned that the logout failed';
  } catch {
    return 'its LogoutResponse cannot be read, or its signature is invalid';
  }
}
