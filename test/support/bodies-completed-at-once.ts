// Sends requests whose bodies lack only the last byte, then all last bytes together. This is the worst case for a server
// that parses bodies.
import { request } from 'node:http';

/** Returns the statuses of the responses. */
export async function bodiesCompletedAtOnce(url: string, body: string, count: number): Promise<number[]> {
  const headers = { 'Content-Type': 'text/xml', 'Content-Length': Buffer.byteLength(body) };
  const open = await Promise.all(
    Array.from({ length: count }, async () => {
      const outgoing = request(url, { method: 'POST', headers, agent: false });
      const status = new Promise<number>((resolve, reject) => {
        outgoing.on('error', reject).on('response', (answer) => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode ?? 0));
        });
      });
      await new Promise<void>((resolve) => outgoing.write(body.slice(0, -1), () => resolve()));
      return { outgoing, status };
    }),
  );
  for (const { outgoing } of open) outgoing.end(body.slice(-1));
  return Promise.all(open.map(({ status }) => status));
}
