// Single sign-on of a browser that is logged in, as a request of the benchmark.
import { deflateRawSync } from 'node:zlib';
import { type Answer, askOnce, headerOf, type Operation } from './http-load.ts';
import { user } from './programs.ts';
import { get, post } from './requests.ts';
import type { StartedProgram } from './started-program.ts';

/** The destination of every Response. */
export const assertionConsumer = 'http://127.0.0.1:9/acs';
const binding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';

let drawn = 0;

function authnRequest(issuer: string): string {
  drawn += 1;
  const xml =
    `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"` +
    ` ID="_bench-${drawn}" Version="2.0" IssueInstant="${new Date().toISOString()}"` +
    ` AssertionConsumerServiceURL="${assertionConsumer}" ProtocolBinding="${binding}">` +
    `<saml:Issuer>${issuer}</saml:Issuer></samlp:AuthnRequest>`;
  return encodeURIComponent(deflateRawSync(xml).toString('base64'));
}

/** The Cookie header of a browser that is logged in. */
export async function loggedInCookie(program: StartedProgram): Promise<string> {
  const login = await askOnce(program, (ask) => ask(post(program, '/login', user)));
  const cookie = headerOf(login, 'set-cookie')?.split(';', 1)[0];
  if (cookie === undefined) throw new Error(`no session: ${login.status}`);
  return cookie;
}

/** `issuer`: entity id of the service provider. */
export function singleSignOn(program: StartedProgram, cookie: string, issuer: string): Operation {
  return (ask) => ask(get(program, `/saml/sso?SAMLRequest=${authnRequest(issuer)}`, { Cookie: cookie }));
}

/** The Response in the page. @throws Error unless it reports success */
export function responseIn({ body }: Answer): string {
  const encoded = /name="SAMLResponse" value="([^"]+)"/.exec(body)?.[1] ?? '';
  const response = Buffer.from(encoded, 'base64').toString();
  if (!response.includes('status:Success')) throw new Error(`no Response of success: ${body.slice(0, 500)}`);
  return response;
}

/** @throws Error unless something in it is signed */
export function checkSigned(document: string): void {
  if (!document.includes('SignatureValue>')) throw new Error(`nothing is signed: ${document.slice(0, 500)}`);
}
