// A bare node:http server that responds to every request with the same 1.5 KB of JSON. The reference for discovery.
import { createServer } from 'node:http';

const body = Buffer.from(JSON.stringify({ filler: 'x'.repeat(1500) }));
const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
