// The facts of a SAML request for the conditions of faults: its sender and its user (FLT-04, FLT-05). Nothing is
// verified, and unreadable parts yield no facts.

import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { RequestFacts } from '#shared/engine/faults/fault-row.ts';
import { typedIn } from '#shared/engine/faults/typed-in.ts';
import { currentLogin } from '#shared/engine/login/browser-sessions.ts';
import type { LoginSurface } from '#shared/model/domain/pending-second-factor.ts';
import { decodeXml } from '#shared/protocol/saml/xml/decode-xml.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { findUserByNameId } from './find-user-by-name-id.ts';
import { readAttributeQuery } from './protocol/attribute-query.ts';
import { readAuthnRequest } from './protocol/authn-request.ts';
import { readMessage } from './protocol/bindings.ts';
import { ssoPath } from './sso/ask-for-login.ts';
import { destinationOf, idpInitiatedPath, purposeOf } from './sso/idp-initiated.tsx';
import { bindingOf, messageDigest, messageOf } from './sso/receive-authn-request.ts';

export async function samlFacts(request: ParsedRequest, context: ProtocolContext): Promise<RequestFacts> {
  try {
    return request.path.endsWith('/attribute-query')
      ? await ofQuery(request, context)
      : await ofLogin(request, context);
  } catch {
    return {};
  }
}

async function ofQuery({ body }: ParsedRequest, context: ProtocolContext): Promise<RequestFacts> {
  const read = readAttributeQuery(parseXml(decodeXml(body)));
  if (read.outcome !== 'query') return {};
  const { issuer, nameId } = read.query;
  const user = await findUserByNameId(nameId.value.trim(), issuer, context);
  return { sp: issuer, username: user?.username };
}

async function ofLogin(request: ParsedRequest, context: ProtocolContext): Promise<RequestFacts> {
  if (request.path.endsWith(idpInitiatedPath)) {
    const destination = destinationOf(request);
    const at = { surface: idpInitiatedPath, purpose: () => purposeOf(destination) } as const;
    return { username: await whoLogsIn(request, at, context), sp: destination.sp };
  }
  const purpose = () => messageDigest(messageOf(request), bindingOf(request));
  const username = await whoLogsIn(request, { surface: ssoPath, purpose }, context);
  try {
    const { samlRequest } = messageOf(request);
    return { username, sp: readAuthnRequest(readMessage(samlRequest, bindingOf(request), false)).issuer };
  } catch {
    return { username };
  }
}

/** The surface and the purpose of a login in progress (LOG-16). */
interface LoginUnderWay {
  readonly surface: LoginSurface;
  readonly purpose: () => string;
}

/** The user that the form names, else the user whose code is pending, else the logged-in user. */
async function whoLogsIn(
  { form }: ParsedRequest,
  { surface, purpose }: LoginUnderWay,
  context: ProtocolContext,
): Promise<string | undefined> {
  const typed = await typedIn(form.value('username'), context);
  if (typed !== undefined) return typed;
  const { browser } = await context.session();
  const id = form.value('pending_second_factor');
  if (id === undefined) return (await currentLogin(context))?.username;
  const key = { id, browser, surface, purpose: purpose() };
  return (await context.store.secondFactors.find(key, context.clock.now()))?.username;
}
