import { expect } from 'chai';
import { isLoopbackHost, isLoopbackOrigin } from '#services/mcp/http-endpoint.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the guard of /mcp', () => {
  verifies('MCP-02', 'accepts only loopback names with the port of the server', () => {
    for (const host of ['127.0.0.1:8001', 'localhost:8001', 'LOCALHOST:8001', '[::1]:8001', '127.8.9.1:8001']) {
      expect(isLoopbackHost(host, 8001), host).to.equal(true);
    }
    const refused = [
      ...[undefined, '', '127.0.0.1', 'localhost', '127.0.0.1:8002', 'idp.example.org:8001', 'localhost.evil.org:8001'],
      ...[
        '127.0.0.1.evil.org:8001',
        'evil@127.0.0.1:8001',
        '127.0.0.1:8001/x',
        '127.0.0.1:8001#',
        'a b:8001',
        '[::2]:8001',
      ],
      ...['0.0.0.0:8001', '10.0.0.1:8001'],
    ];
    for (const host of refused) expect(isLoopbackHost(host, 8001), String(host)).to.equal(false);
  });

  verifies('MCP-02', 'accepts only loopback origins, with any port', () => {
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'https://localhost', 'http://[::1]:5173']) {
      expect(isLoopbackOrigin(origin), origin).to.equal(true);
    }
    const refused = [
      'null',
      '',
      'https://evil.org',
      'http://localhost.evil.org',
      'file://',
      'http://localhost:3000/',
      'localhost',
    ];
    for (const origin of refused) expect(isLoopbackOrigin(origin), origin).to.equal(false);
  });
});
