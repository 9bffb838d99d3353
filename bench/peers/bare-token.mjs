// A bare node:http server that does only what a token needs: it parses the form, finds the client, signs with RSA-2048
// on the thread pool and responds. The reference for client_credentials.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = encoded({ alg: 'RS256', typ: 'JWT', kid: 'bench' });
const keys = JSON.stringify({
  keys: [{ ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'bench' }],
});
const expected = `Basic ${Buffer.from('demo-client:demo-secret').toString('base64')}`;

const server = createServer((request, response) => {
  const answer = (status, body) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  };
  if (request.method === 'GET') return answer(200, keys);
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    if (form.get('grant_type') !== 'client_credentials' || request.headers.authorization !== expected) {
      return answer(401, JSON.stringify({ error: 'invalid_client' }));
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, sub: 'demo-client', aud: 'default', iat: now, exp: now + 3600 };
    const jti = randomBytes(16).toString('base64url');
    const signed = `${header}.${encoded({ ...claims, client_id: 'demo-client', jti })}`;
    sign('RSA-SHA256', Buffer.from(signed), privateKey, (_error, signature) => {
      const access_token = `${signed}.${signature.toString('base64url')}`;
      answer(200, JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 3600 }));
    });
  });
});
let issuer = '';
server.listen(0, '127.0.0.1', () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`${JSON.stringify({ base_url: issuer, jwks: `${issuer}/jwks`, token: '/token' })}\n`);
});
