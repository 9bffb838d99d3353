import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { clientId, issuer, said, serve } from './application.mjs';

// A page without a server: the library runs in the page, and the client has no secret.
const library = fileURLToPath(import.meta.resolve('oidc-client-ts')).replace(
  '/esm/oidc-client-ts.js',
  '/browser/oidc-client-ts.min.js',
);
const page = (
  base,
) => `<!doctype html><title>page</title><body><script src="/library.js"></script><script type="module">
  const manager = new oidc.UserManager({
    authority: ${JSON.stringify(issuer)},
    client_id: ${JSON.stringify(clientId)},
    redirect_uri: ${JSON.stringify(`${base}/callback`)},
    ...${JSON.stringify(said)},
  });
  if (location.pathname === '/login') await manager.signinRedirect();
  else {
    const { profile } = await manager.signinCallback();
    const greeting = document.body.appendChild(document.createElement('pre'));
    greeting.textContent = ['logged in', profile.name, profile.email].join('\\n');
  }
</script>`;

await serve('/login', (base) => {
  const application = express();
  application.get('/library.js', (_request, response) => response.type('js').send(readFileSync(library)));
  application.get(['/login', '/callback'], (_request, response) => response.type('html').send(page(base)));
  return application;
});
