// An Express application with passport whose pages a script builds in the browser, as in a framework's tutorial.
import type { AddressInfo } from 'node:net';
import express from 'express';
import session from 'express-session';
import * as client from 'openid-client';
import { Strategy } from 'openid-client/passport';
import passport from 'passport';
import { type ExaminedApplication, registeredClient } from './examined-applications.ts';
import type { RunningIdp } from './start-idp.ts';

const page = `<!doctype html><title>An application</title><main>One moment</main><script type="module">
  const answer = await fetch('/me');
  if (answer.ok) document.querySelector('main').textContent = 'Hello ' + (await answer.json()).name;
  else if (location.search === '') location.href = '/login';
  else document.querySelector('main').textContent = 'The login failed.';
</script>`;

export async function passportApplication(idp: RunningIdp): Promise<ExaminedApplication> {
  const application = express();
  const server = application.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { client_id, client_secret, redirect_uri } = await registeredClient(idp, base);
  const config = await client.discovery(
    new URL(idp.baseUrl),
    client_id,
    undefined,
    client.ClientSecretBasic(client_secret),
    { execute: [client.allowInsecureRequests] },
  );
  const authenticator = new passport.Passport();
  authenticator.use(
    'idp',
    new Strategy({ config, scope: 'openid', callbackURL: redirect_uri }, (tokens, verified) => {
      verified(null, { name: tokens.claims()?.sub });
    }),
  );
  authenticator.serializeUser((user, done) => done(null, user));
  authenticator.deserializeUser((user: Express.User, done) => done(null, user));
  application.use(session({ secret: 'a secret of the cookies', resave: false, saveUninitialized: false }));
  application.use(authenticator.session());
  let logins = 0;
  application.get('/', (_request, response) => void response.type('html').send(page));
  application.get('/me', (request, response) => {
    response.status(request.user === undefined ? 401 : 200).json(request.user ?? {});
  });
  application.get('/login', (_request, _response, next) => {
    logins += 1;
    next();
  });
  application.get('/login', authenticator.authenticate('idp'));
  application.get(
    '/callback',
    authenticator.authenticate('idp', { successRedirect: '/', failureRedirect: '/?failed=1' }),
  );
  const failed: express.ErrorRequestHandler = (_error, _request, response, _next) => {
    response.redirect('/?failed=1');
  };
  application.use(failed);
  return {
    ...{ name: client_id, loginUrl: `${base}/`, logins: () => logins },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
