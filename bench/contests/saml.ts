// SAML through the front end: single sign-on of a browser that is logged in, with a signed Response, and the metadata.
import type { Contest } from '../contest.ts';
import { get } from '../requests.ts';
import { checkSigned, loggedInCookie, responseIn, singleSignOn as singleSignOnOf } from '../single-sign-on.ts';

export const singleSignOn: Contest = {
  title: 'SAML single sign-on, signed, session present',
  target: '>= 2,000/s',
  signatures: 1,
  ours: {
    prepare: async (program) => {
      const operation = singleSignOnOf(program, await loggedInCookie(program), 'urn:bench:sp');
      return { request: () => operation, check: (answer) => checkSigned(responseIn(answer)) };
    },
  },
  beside: [],
};

export const samlMetadata: Contest = {
  title: 'SAML metadata through the OIDC front end',
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
