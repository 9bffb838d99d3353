// oidc-provider with one client and JWT access tokens: the same work as our scenarios. `--opaque`: access tokens in the
// format that its own endpoints accept, for userinfo and introspection.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'bench' }] },
    clients: [
      {
        client_id: 'demo-client',
        client_secret: 'demo-secret',
        grant_types: ['client_credentials', 'authorization_code'],
        redirect_uris: ['http://127.0.0.1:9/callback'],
        response_types: ['code'],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      resourceIndicators: {
        enabled: !process.argv.includes('--opaque'),
        defaultResource: () => 'urn:bench',
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: '',
          audience: 'default',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  server.on('request', provider.callback());
  process.stdout.write(`${JSON.stringify({ base_url: issuer, jwks: `${issuer}/jwks`, token: '/token' })}\n`);
});
