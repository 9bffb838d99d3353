// SAML through the door: single sign-on of a browser that is logged in, answered with a signed Response, and the metadata.
import { deflateRawSync } from 'node:zlib';
import type { Contest } from '../contest.ts';
import { askOnce, headerOf, type Operation } from '../http-load.ts';
import { user } from '../programs.ts';
import { get, post } from '../requests.ts';

const acsUrl = 'http://127.0.0.1:9/acs';
const binding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';

let drawn = 0;

function authnRequest(): string {
  drawn += 1;
  const xml =
    `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"` +
    ` ID="_bench-${drawn}" Version="2.0" IssueInstant="${new Date().toISOString()}"` +
    ` AssertionConsumerServiceURL="${acsUrl}" ProtocolBinding="${binding}">` +
    '<saml:Issuer>urn:bench:sp</saml:Issuer></samlp:AuthnRequest>';
  return encodeURIComponent(deflateRawSync(xml).toString('base64'));
}

export const singleSignOn: Contest = {
  title: 'SAML single sign-on, signed, session present',
  target: '>= 2,000/s',
  signatures: 1,
  ours: {
    prepare: async (program) => {
      const login = await askOnce(program, (ask) => ask(post(program, '/login', user)));
      const cookie = headerOf(login, 'set-cookie')?.split(';', 1)[0];
      if (cookie === undefined) throw new Error(`no session: ${login.status}`);
      const operation: Operation = (ask) =>
        ask(get(program, `/saml/sso?SAMLRequest=${authnRequest()}`, { Cookie: cookie }));
      return {
        request: () => operation,
        check: ({ body }) => {
          const encoded = /name="SAMLResponse" value="([^"]+)"/.exec(body)?.[1] ?? '';
          const response = Buffer.from(encoded, 'base64').toString();
          if (!response.includes('status:Success') || !response.includes('SignatureValue')) {
            throw new Error(`no signed Response: ${body.slice(0, 500)}`);
          }
        },
      };
    },
  },
  beside: [],
};

export const samlMetadata: Contest = {
  title: 'SAML metadata through the door',
  target: '>= 15,000/s',
  ours: {
    prepare: (program) => ({
      request: get(program, '/saml/metadata'),
      check: ({ body }) => {
        if (!body.includes('EntityDescriptor')) throw new Error(`no metadata: ${body.slice(0, 300)}`);
      },
    }),
  },
  beside: [
    {
      name: 'bare node:http',
      start: ({ peer }) => peer('bare-http'),
      prepare: (program) => ({ request: get(program, '/'), check: () => {} }),
    },
  ],
};
