import { ConfidentialClientApplication } from '@azure/msal-node';
import express from 'express';
import { clientId, clientSecret, greet, issuer, said, serve } from './application.mjs';

await serve('/login', (base) => {
  const msal = new ConfidentialClientApplication({
    auth: { clientId, clientSecret, authority: issuer, knownAuthorities: [new URL(issuer).host] },
    system: { protocolMode: said.protocolMode },
  });
  const redirectUri = `${base}/callback`;
  const { scopes } = said;
  const application = express();
  application.get('/login', async (_request, response) =>
    response.redirect(await msal.getAuthCodeUrl({ scopes, redirectUri })),
  );
  application.get('/callback', async (request, response) => {
    const { account } = await msal.acquireTokenByCode({ code: request.query.code, scopes, redirectUri });
    greet(response, { name: account.name, email: account.idTokenClaims.email });
  });
  return application;
});
