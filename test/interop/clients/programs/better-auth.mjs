import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node';
import { genericOAuth } from 'better-auth/plugins';
import express from 'express';
import { clientId, clientSecret, cookieSecret, greet, issuer, serve } from './application.mjs';

await serve('/login', (baseURL) => {
  const discoveryUrl = `${issuer}/.well-known/openid-configuration`;
  const auth = betterAuth({
    baseURL,
    secret: cookieSecret,
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    plugins: [genericOAuth({ config: [{ providerId: 'test-idp', clientId, clientSecret, discoveryUrl }] })],
  });
  const application = express();
  application.all('/api/auth/*path', toNodeHandler(auth));
  // What its browser library does when the user presses the button.
  application.get('/login', (_request, response) =>
    response.type('html').send(`<button type="submit">Log in</button><script>
      document.querySelector('button').onclick = async () => {
        const answer = await fetch('/api/auth/sign-in/social', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ provider: 'test-idp', callbackURL: '/' }),
        });
        location.href = (await answer.json()).url;
      };
    </script>`),
  );
  application.get('/', async (request, response) => {
    const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) });
    greet(response, session?.user ?? {});
  });
  return application;
});
