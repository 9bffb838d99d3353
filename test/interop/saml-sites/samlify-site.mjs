// A samlify site for one browser. Its argument is the identity provider and the keys, as JSON. It prints its address and
// its metadata.
import { createServer } from 'node:http';
import * as samlify from 'samlify';

const { idpMetadata, privateKey, publicCert } = JSON.parse(process.argv[2] ?? '{}');
const { post, redirect } = samlify.Constants.namespace.binding;
samlify.setSchemaValidator({ validate: async () => 'no schema validator is at hand' });

let loggedIn;
let provider;
const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    process.stderr.write(`samlify: ${error.stack ?? error}\n`);
    response.writeHead(500).end(String(error));
  });
});
server.listen(0, '127.0.0.1', () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  provider = samlify.ServiceProvider({
    entityID: `${base}/metadata`,
    authnRequestsSigned: true,
    wantAssertionsSigned: true,
    wantLogoutRequestSigned: true,
    wantLogoutResponseSigned: true,
    requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    signingCert: publicCert,
    encryptCert: publicCert,
    encPrivateKey: privateKey,
    privateKey,
    assertionConsumerService: [{ Binding: post, Location: `${base}/acs` }],
    singleLogoutService: [{ Binding: redirect, Location: `${base}/slo` }],
  });
  process.stdout.write(`${JSON.stringify({ base, metadata: provider.getMetadata() })}\n`);
});

/** The same entity for encrypted assertions, because samlify must know that in advance. */
const identityProvider = (isAssertionEncrypted) =>
  samlify.IdentityProvider({
    metadata: idpMetadata,
    wantLogoutRequestSigned: true,
    wantLogoutResponseSigned: true,
    isAssertionEncrypted,
  });

async function answer(request, response) {
  const url = new URL(request.url, 'http://127.0.0.1');
  const lead = (Location) => response.writeHead(302, { Location, 'Cache-Control': 'no-store' }).end();
  const idp = identityProvider(false);
  switch (url.pathname) {
    case '/protected/':
      if (loggedIn === undefined) return lead(provider.createLoginRequest(idp, 'redirect').context);
      return response
        .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
        .end(JSON.stringify(loggedIn));
    case '/acs': {
      const body = await formOf(request);
      const isEncrypted = Buffer.from(body.SAMLResponse, 'base64').includes('EncryptedAssertion');
      const { extract } = await provider.parseLoginResponse(identityProvider(isEncrypted), 'post', { body });
      const { nameID, attributes, sessionIndex } = extract;
      loggedIn = { name_id: nameID, attributes, session_index: sessionIndex?.sessionIndex };
      return lead('/protected/');
    }
    case '/logout': {
      const { name_id: logoutNameID, session_index: sessionIndex } = loggedIn;
      return lead(provider.createLogoutRequest(idp, 'redirect', { logoutNameID, sessionIndex }).context);
    }
    case '/slo': {
      const query = Object.fromEntries(url.searchParams);
      const octetString = url.search.slice(1).replace(/&Signature=[^&]*/, '');
      loggedIn = undefined;
      if (query.SAMLResponse !== undefined) {
        await provider.parseLogoutResponse(idp, 'redirect', { query, octetString });
        return response.end('logged out');
      }
      const asked = await provider.parseLogoutRequest(idp, 'redirect', { query, octetString });
      return lead(provider.createLogoutResponse(idp, asked, 'redirect', query.RelayState ?? '').context);
    }
    default:
      return response.writeHead(404).end();
  }
}

async function formOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()));
}
