// POST /saml/attribute-query: a back end queries a user by SOAP 1.1, without credentials (SAM-55 to SAM-67). Every
// outcome is recorded exactly once, with the query's id if it could be read.
import { messageOf } from '#shared/base/error-text.ts';
import { type AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { isCoded } from '#shared/engine/exchange/content-coding.ts';
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { pageOf } from '#shared/engine/exchange/route.ts';
import type { SamlAnswer, SamlEncryption } from '#shared/engine/exchange/saml-answer.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { type Refused, refused } from '#shared/model/refusals/refusal.ts';
import { signingAlgorithms } from '#shared/model/saml-rules/response-form.ts';
import { replacing } from '#shared/protocol/saml/edit-tree.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import { documentMoment } from '#shared/protocol/saml/instants.ts';
import type { SigningAlgorithms } from '#shared/protocol/saml/signature-algorithms.ts';
import { type SoapFaultCode, soapEnvelope, soapFault } from '#shared/protocol/saml/soap.ts';
import { success, unknownPrincipal } from '#shared/protocol/saml/status.ts';
import { assertionNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { decodeXml } from '#shared/protocol/saml/xml/decode-xml.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { scopeInside } from '#shared/protocol/saml/xml/write-xml.ts';
import { XmlUnreadableError } from '#shared/protocol/saml/xml/xml-unreadable.ts';
import { indented, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { alteredAnswer } from './alter-answer.ts';
import {
  encryptedAfterwards,
  encryptionFor,
  withEncryptedAssertions,
  withEncryptedParts,
} from './encryption/sealed-response.ts';
import { findUserByNameId } from './find-user-by-name-id.ts';
import { queryAssertion } from './protocol/assertion.ts';
import { type AttributeQuery, type ReadQuery, readAttributeQuery } from './protocol/attribute-query.ts';
import { selectedAttributes } from './protocol/attributes.ts';
import { queryResponse, type ResponseHead } from './protocol/response.ts';
import { attributesFor, registeredServiceProvider } from './registered-service-provider.ts';
import { signedWhereDemanded } from './signing/signed-where-demanded.ts';
import { SsoRefusedError } from './sso/sso-refused.ts';

const endpoint = '/saml/attribute-query';
const recordedIdCharactersMax = 128;
const recordedNameCharactersMax = 512;

const unreadBodies = {
  too_large: [413, samlRefusals.attribute_query_too_large],
  in_small_pieces: [400, samlRefusals.attribute_query_in_small_pieces],
} as const;

export const attributeQuery = audited(
  { event_type: 'saml_attribute_query', endpoint },
  async (request, context, note) => {
    tellQuery(undefined, request, note);
    if (request.bodyRefusal !== undefined) {
      const [status, row] = unreadBodies[request.bodyRefusal];
      const reply = refuse(status, 'Client', refused(row), note);
      return withHeaders(reply, { Connection: 'close' });
    }
    const read = readBody(request);
    if (read.outcome !== 'query') {
      tellQuery(read.id, request, note);
      return refuse(500, read.outcome === 'incomplete' ? 'Client' : 'MustUnderstand', read.refused, note);
    }
    const { query } = read;
    tellQuery(query.id, request, note);
    const nameId = query.nameId.value.trim();
    note.add({ username: shortened(nameId, recordedNameCharactersMax) });
    try {
      return await answer(query, nameId, context, note);
    } catch (error) {
      if (error instanceof SsoRefusedError) {
        note.refused(error);
        throw pageOf('attribute_query', error);
      }
      note.failed({ details: { error: messageOf(error) } });
      if (error instanceof RuntimeStoreUnavailableError) throw error;
      context.log.error({ err: error, requestId: context.requestId }, 'an attribute query failed unexpectedly');
      return faultReply(500, 'Server', 'An unexpected error occurred. The server log has the details.');
    }
  },
);

/** Every outcome has the query's id if it could be read (SAM-67). */
function tellQuery(id: string | undefined, { bodyLength }: ParsedRequest, note: AuditNote): void {
  const request_id = id === undefined ? null : shortened(id, recordedIdCharactersMax);
  note.add({ details: { request_id, content_length: bodyLength } });
}

function refuse(status: number, code: SoapFaultCode, refusal: Refused, note: AuditNote): Reply {
  note.refused(refusal);
  return faultReply(status, code, refusal.message);
}

function readBody({ body, headers, bodyLength }: ParsedRequest): ReadQuery {
  try {
    return readAttributeQuery(parseXml(decodeXml(body)));
  } catch (error) {
    if (!(error instanceof XmlUnreadableError)) throw error;
    const sentence = isCoded(headers, bodyLength)
      ? httpRefusals.body_coded.answer
      : `The body must be a well-formed XML document without a document type. ${error.message}`;
    return {
      outcome: 'incomplete',
      id: undefined,
      refused: refused(samlRefusals.attribute_query_unreadable, { sentence }),
    };
  }
}

async function answer(
  query: AttributeQuery,
  nameId: string,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  const { saml } = context.snapshot.settings;
  const serviceProvider = await registeredServiceProvider(query.issuer, context);
  const head: ResponseHead = {
    id: freshIdentifier(context.random),
    at: documentMoment(context.clock.now()),
    entityId: effectiveSamlAddresses(saml, context).entity_id,
  };
  const algorithms = signingAlgorithms(saml, serviceProvider);
  const user = await findUserByNameId(nameId, query.issuer, context);
  if (user === undefined) {
    const unknown = refused(samlRefusals.name_id_unknown);
    const status = { ...unknownPrincipal, message: unknown.message };
    const response = queryResponse(head, query.id, status, undefined);
    const reply = await soapReply(response, 'compact', algorithms, context);
    note.refused(unknown);
    return reply;
  }
  const attributes = selectedAttributes(attributesFor({ user }, serviceProvider, 'query', context), query.attributes);
  const assertion = queryAssertion({
    ...head,
    id: freshIdentifier(context.random),
    nameId: query.nameId,
    attributes,
  });
  const encryption = encryptionFor(serviceProvider);
  const reply = await soapReply(
    queryResponse(head, query.id, success, assertion),
    'indented',
    algorithms,
    context,
    encryption,
  );
  note.succeeded({ details: { attributes_count: attributes.length } });
  return reply;
}

/** `unsigned`: the layout of an unsigned response. A signed one is always indented (SAM-57). */
async function soapReply(
  response: XmlElement,
  unsigned: 'compact' | 'indented',
  algorithms: SigningAlgorithms,
  context: ProtocolContext,
  encryption?: SamlEncryption,
): Promise<Reply> {
  const { sign_responses, c14n_algorithm } = context.snapshot.settings.saml;
  // A fault changes the plain response, so encryption comes after it (ENC-12).
  const now = context.outputHooks.samlAnswer === undefined ? encryption : undefined;
  const ready = now === undefined ? response : encryptedQueryResponse(response, now, context);
  const signed = await signedWhereDemanded(ready, context, { layout: 'indented', algorithms });
  const laidOut = !sign_responses && unsigned === 'indented' ? indented(signed) : signed;
  const form = !sign_responses || c14n_algorithm === 'exc_c14n' ? 'prefixed' : 'default_namespace';
  const right: SamlAnswer = {
    kind: 'attribute_query',
    response: laidOut,
    algorithms,
    binding: 'soap',
    relayState: undefined,
    encryption: now === undefined ? encryption : undefined,
  };
  const answer = await encryptedAfterwards(await alteredAnswer(right, context), context);
  return xmlReply(200, soapEnvelope(answer.response, form));
}

/** Encrypts parts of the Assertion first, as in a login. The Assertion has no signature of its own. */
function encryptedQueryResponse(
  response: XmlElement,
  encryption: SamlEncryption,
  { random }: ProtocolContext,
): XmlElement {
  const scope = scopeInside(response);
  const inside = (assertion: XmlElement) => withEncryptedParts(assertion, encryption, scope, random);
  const whole = replacing(response, [assertionNamespace, 'Assertion'], inside) ?? response;
  return withEncryptedAssertions(whole, encryption, random);
}

function faultReply(status: number, code: SoapFaultCode, faultstring: string): Reply {
  return xmlReply(status, soapFault(code, faultstring));
}

function xmlReply(status: number, body: string): Reply {
  return { status, headers: { 'Content-Type': 'text/xml; charset=utf-8' }, body, noStore: true };
}

/** At most `charactersMax` characters, and `...` when some were left out (SAM-67). Never splits a character. */
function shortened(text: string, charactersMax: number): string {
  const characters = [...text.slice(0, 2 * charactersMax + 2)];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax).join('')}...`;
}
