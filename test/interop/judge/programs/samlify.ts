// samlify: requires signed Assertions, with the identity provider configured from its metadata.
import * as samlify from 'samlify';
import { type SendBrowser, serve } from './serve.ts';

const { issuer, acs } = JSON.parse(process.argv[2] ?? '{}');

samlify.setSchemaValidator({ validate: async () => 'no schema validator' });
const provider = samlify.ServiceProvider({
  entityID: 'https://samlify.example',
  wantAssertionsSigned: true,
  assertionConsumerService: [{ Binding: samlify.Constants.namespace.binding.post, Location: acs }],
});

async function logIn(send: SendBrowser) {
  const metadata = await (await fetch(`${issuer}/saml/metadata`)).text();
  const identityProvider = samlify.IdentityProvider({ metadata });
  const { context } = provider.createLoginRequest(identityProvider, 'redirect');
  const body = { SAMLResponse: new URLSearchParams(await send(context)).get('SAMLResponse') ?? '' };
  const { extract } = await provider.parseLoginResponse(identityProvider, 'post', { body });
  return String(extract.nameID);
}

await serve({ login: logIn, metadata: logIn });
