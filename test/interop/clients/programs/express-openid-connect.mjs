import express from 'express';
import openIdConnect from 'express-openid-connect';
import { clientId, clientSecret, cookieSecret, greet, issuer, said, serve } from './application.mjs';

await serve('/', (baseURL) => {
  const application = express();
  application.use(
    openIdConnect.auth({
      issuerBaseURL: issuer,
      baseURL,
      clientID: clientId,
      clientSecret,
      secret: cookieSecret,
      authorizationParams: said,
    }),
  );
  application.get('/', (request, response) => greet(response, request.oidc.user));
  return application;
});
