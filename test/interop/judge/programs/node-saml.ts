// node-saml: requires signed Assertions, with audience and issuer configured and `InResponseTo` checked. It takes a
// certificate, not metadata.
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { serve } from './serve.ts';

const { issuer, acs } = JSON.parse(process.argv[2] ?? '{}');

const provider = new SAML({
  callbackUrl: acs,
  entryPoint: `${issuer}/saml/sso`,
  issuer: 'https://node-saml.example',
  audience: 'https://node-saml.example',
  idpCert: await (await fetch(`${issuer}/saml/cert.pem`)).text(),
  idpIssuer: `${issuer}/saml`,
  wantAssertionsSigned: true,
  wantAuthnResponseSigned: false,
  validateInResponseTo: ValidateInResponseTo.always,
});

await serve({
  async login(send) {
    const posted = await send(await provider.getAuthorizeUrlAsync('', undefined, {}));
    const SAMLResponse = new URLSearchParams(posted).get('SAMLResponse') ?? '';
    const { profile } = await provider.validatePostResponseAsync({ SAMLResponse });
    if (profile === null) throw new Error('no profile');
    return profile.nameID;
  },
});
