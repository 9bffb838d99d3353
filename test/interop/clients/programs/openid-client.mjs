import express from 'express';
import * as client from 'openid-client';
import { clientId, clientSecret, greet, issuer, said, serve } from './application.mjs';

await serve('/login', async (base) => {
  const configuration = await client.discovery(new URL(issuer), clientId, clientSecret);
  const application = express();
  let checks;
  application.get('/login', async (_request, response) => {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    checks = { pkceCodeVerifier, expectedState };
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: `${base}/callback`,
      scope: said.scope,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    });
    response.redirect(address.href);
  });
  application.get('/callback', async (request, response) => {
    const tokens = await client.authorizationCodeGrant(configuration, new URL(request.url, base), checks);
    greet(response, tokens.claims());
  });
  return application;
});
