// oauth2-mock-server with one RS256 key.
import { OAuth2Server } from 'oauth2-mock-server';

const server = new OAuth2Server();
await server.issuer.keys.generate('RS256');
await server.start(0, '127.0.0.1');
const issuer = `http://127.0.0.1:${server.address().port}`;
process.stdout.write(`${JSON.stringify({ base_url: issuer, jwks: `${issuer}/jwks`, token: '/token' })}\n`);
