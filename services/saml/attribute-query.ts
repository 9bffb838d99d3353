// POST /saml/attribute-query: what a back end may ask about a user, by SOAP 1.1, without credentials (SAM-55 to SAM-67).
// Every outcome is recorded exactly once, with the query's id as far as it could be read.
import { altered } from '#shared/http/alterations.ts';
import type { Reply } from '#shared/http/reply.ts';
import { auditEvent, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { RuntimeStoreUnavailableError } from '#shared/store/runtime-store-unavailable.ts';
import { findPrincipal } from './find-principal.ts';
import { queryAssertion } from './protocol/assertion.ts';
import { type AttributeQuery, type ReadQuery, readAttributeQuery } from './protocol/attribute-query.ts';
import { attributesOf, selectedAttributes } from './protocol/attributes.ts';
import { freshIdentifier } from './protocol/identifiers.ts';
import { documentMoment } from './protocol/instants.ts';
import { queryResponse, type ResponseHead } from './protocol/response.ts';
import { type SoapFaultCode, soapEnvelope, soapFault } from './protocol/soap.ts';
import { success, unknownPrincipal } from './protocol/status.ts';
import { decodeXml } from './protocol/xml/decode-xml.ts';
import { parseXml } from './protocol/xml/parse-xml.ts';
import { indented, type XmlElement } from './protocol/xml/xml-element.ts';
import { XmlUnreadableError } from './protocol/xml/xml-unreadable.ts';
import { signedWhereDemanded } from './signing/signed-where-demanded.ts';

const endpoint = '/saml/attribute-query';
const recordedIdCharactersMax = 128;
const recordedNameCharactersMax = 512;

/** What happened, for the answer and for the audit. */
interface Outcome {
  readonly reply: Reply;
  readonly status: 'success' | 'failed';
  readonly queryId: string | undefined;
  readonly nameId?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export async function attributeQuery(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const read = request.oversized ? undefined : readBody(request.body);
  if (read === undefined) {
    const refused = refusal(413, 'The body is larger than 1 MiB.', undefined);
    await record({ ...refused, details: { reason: 'body above 1 MiB' } }, request, context);
    return { ...refused.reply, headers: { ...refused.reply.headers, Connection: 'close' } };
  }
  if (read.outcome !== 'query') {
    const refused = refusal(
      500,
      read.faultstring,
      read.id,
      read.outcome === 'incomplete' ? 'Client' : 'MustUnderstand',
    );
    await record(refused, request, context);
    return refused.reply;
  }
  let outcome: Outcome;
  try {
    outcome = await answer(read.query, context);
  } catch (error) {
    await record(unexpectedFailure(read.query, error), request, context);
    if (error instanceof RuntimeStoreUnavailableError) throw error;
    context.log.error({ err: error, requestId: context.requestId }, 'an attribute query failed unexpectedly');
    return faultReply(500, 'Server', 'The attribute query could not be answered.');
  }
  await record(outcome, request, context);
  return outcome.reply;
}

function readBody(body: Buffer): ReadQuery {
  try {
    return readAttributeQuery(parseXml(decodeXml(body)));
  } catch (error) {
    if (!(error instanceof XmlUnreadableError)) throw error;
    const faultstring = `The body must be a well-formed XML document without document type. ${error.message}`;
    return { outcome: 'incomplete', id: undefined, faultstring };
  }
}

async function answer(query: AttributeQuery, context: RequestContext): Promise<Outcome> {
  const { saml } = context.snapshot.settings;
  const head: ResponseHead = {
    id: freshIdentifier(context.random),
    at: documentMoment(context.clock.now()),
    entityId: effectiveSamlAddresses(saml, context.issuer).entity_id,
  };
  const about = { queryId: query.id, nameId: query.nameId.value.trim() };
  const user = await findPrincipal(about.nameId, query.issuer, context);
  if (user === undefined) {
    const response = queryResponse(head, query.id, unknownPrincipal, undefined);
    const reply = await soapReply(response, 'compact', context);
    return { ...about, reply, status: 'failed', details: { reason: 'Requester/UnknownPrincipal' } };
  }
  const attributes = selectedAttributes(attributesOf(user, saml, 'query'), query.attributes);
  const assertion = queryAssertion({
    ...head,
    id: freshIdentifier(context.random),
    nameId: query.nameId,
    attributes,
  });
  const response = queryResponse(head, query.id, success, assertion);
  const reply = await soapReply(response, 'indented', context);
  return { ...about, reply, status: 'success', details: { attributes_count: attributes.length } };
}

/** `unsigned`: the layout of an answer without signature; a signed one is always indented (SAM-57). */
async function soapReply(
  response: XmlElement,
  unsigned: 'compact' | 'indented',
  context: RequestContext,
): Promise<Reply> {
  const { sign_responses, c14n_algorithm } = context.snapshot.settings.saml;
  const signed = await signedWhereDemanded(response, context, { layout: 'indented' });
  const laidOut = !sign_responses && unsigned === 'indented' ? indented(signed) : signed;
  const form = !sign_responses || c14n_algorithm === 'exc_c14n' ? 'prefixed' : 'default_namespace';
  return xmlReply(200, soapEnvelope(await altered(laidOut, context.alterations.samlResponse), form));
}

function refusal(
  status: number,
  faultstring: string,
  queryId: string | undefined,
  code: SoapFaultCode = 'Client',
): Outcome {
  const reply = faultReply(status, code, faultstring);
  return { reply, status: 'failed', queryId, details: { reason: faultstring } };
}

function unexpectedFailure(query: AttributeQuery, error: unknown): Omit<Outcome, 'reply'> {
  const text = error instanceof Error ? error.message : String(error);
  return { status: 'failed', queryId: query.id, nameId: query.nameId.value.trim(), details: { error: text } };
}

function faultReply(status: number, code: SoapFaultCode, faultstring: string): Reply {
  return xmlReply(status, soapFault(code, faultstring));
}

function xmlReply(status: number, body: string): Reply {
  return { status, headers: { 'Content-Type': 'text/xml; charset=utf-8' }, body, noStore: true };
}

function record(outcome: Omit<Outcome, 'reply'>, request: ParsedRequest, context: RequestContext): Promise<void> {
  const { status, queryId, nameId, details } = outcome;
  return context.audit.record(
    auditEvent(request, context, {
      event_type: 'saml_attribute_query',
      endpoint,
      status,
      username: nameId === undefined ? undefined : shortened(nameId, recordedNameCharactersMax),
      details: {
        request_id: queryId === undefined ? null : shortened(queryId, recordedIdCharactersMax),
        content_length: request.bodyLength,
        ...details,
      },
    }),
  );
}

/** At most so many characters, and `...` when some were left out (SAM-67); a character is never cut in two. */
function shortened(text: string, charactersMax: number): string {
  const characters = [...text.slice(0, 2 * charactersMax + 2)];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax).join('')}...`;
}
