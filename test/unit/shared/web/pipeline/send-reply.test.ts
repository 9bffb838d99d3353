import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { html, notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import { sendReply } from '#shared/web/pipeline/send-reply.ts';

function linesOf(reply: Reply): string[] {
  let written: string[] = [];
  const response: Partial<ServerResponse> = { headersSent: false, destroyed: false };
  Object.assign(response, { writeHead: (_: number, lines: string[]) => (written = lines), end: () => undefined });
  sendReply(response as ServerResponse, reply, {}, { withoutBody: false });
  return written.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${written[index + 1]}`] : []));
}

describe('a written response', () => {
  const page = html(200, '', { 'Cache-Control': 'no-cache, private' });

  it('has Cache-Control: no-store once, even if other cache headers were set', () => {
    expect(linesOf(notStored(page)).filter((line) => /^(?:Cache-Control|Pragma)/.test(line))).to.deep.equal([
      'Cache-Control: no-store',
      'Pragma: no-cache',
    ]);
  });

  it('has the cache headers that were set', () => {
    expect(linesOf(page)).to.include('Cache-Control: no-cache, private').and.not.include('Pragma: no-cache');
  });
});
