// Requests whose bodies are all there but for their last byte, which then come together: the worst that a server can be
// given to read at the same time.
import { request } from 'node:http';

/** The statuses of the answers. */
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
