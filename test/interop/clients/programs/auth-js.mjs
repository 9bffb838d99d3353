import { ExpressAuth, getSession } from '@auth/express';
import express from 'express';
import { clientId, clientSecret, cookieSecret, greet, issuer, serve } from './application.mjs';

await serve('/auth/signin', () => {
  const provider = { id: 'test-idp', name: 'test-idp', type: 'oidc', issuer, clientId, clientSecret };
  const configuration = {
    secret: cookieSecret,
    trustHost: true,
    providers: [provider],
  };
  const application = express();
  application.get('/', async (request, response) => {
    const session = await getSession(request, configuration);
    greet(response, session?.user ?? {});
  });
  application.use('/auth', ExpressAuth(configuration));
  return application;
});
