// The supervisor's hand-written parser and the model of the workers accept the same messages.
import { expect } from 'chai';
import { reportModel } from '#shared/process/worker/mailbox.ts';
import { readReport } from '#supervisor/read-report.ts';

const database = { kind: 'postgres', url: 'postgres://u:p@h/d', schema: 's', poolSize: 4, directory: '/c' };

const atStart = { trustForwarded: false, defaultCorsOrigins: 'any', allowCredentialsOfEveryOrigin: true };
const strictly = {
  trustForwarded: true,
  corsOrigins: ['https://a.example'],
  defaultCorsOrigins: 'loopback',
  allowCredentialsOfEveryOrigin: false,
  rate: '10/minute',
  cookieSecret: 'x',
};

const valid: readonly unknown[] = [
  { type: 'pong' },
  { type: 'asked_to_leave' },
  { type: 'ready', path: '' },
  { type: 'ready', path: '/mcp' },
  { type: 'fatal', reason: 'settings.yaml: oauth.issuer must be a URL', refusal: 'start_failed' },
  { type: 'fatal', reason: 'the schema is newer', refusal: 'store_refused', forGood: true },
  { type: 'fatal', reason: 'key.pem cannot be read', refusal: 'start_failed', mendable: true },
  { type: 'declared', host: '127.0.0.1', port: 8000, store: { kind: 'memory' }, tls: 'off', atStart },
  {
    type: 'declared',
    host: '::1',
    port: 0,
    store: { kind: 'stack', directory: '/d' },
    logLevel: 'DEBUG',
    tls: 'off',
    atStart,
  },
  { type: 'declared', host: '::1', port: 0, store: { kind: 'sqlite', path: '/d/x.db' }, tls: 'off', atStart },
  { type: 'declared', host: '::1', port: 0, store: database, tls: 'off', atStart: strictly },
];

const invalid: readonly unknown[] = [
  undefined,
  null,
  'pong',
  [],
  {},
  { type: 'drain' },
  { type: 'ready' },
  { type: 'ready', path: 1 },
  { type: 'fatal' },
  { type: 'fatal', reason: null, refusal: 'start_failed' },
  { type: 'fatal', reason: 'the schema is newer' },
  { type: 'fatal', reason: 'the schema is newer', refusal: 'because' },
  { type: 'fatal', reason: 'the schema is newer', refusal: 'store_refused', forGood: 'yes' },
  { type: 'fatal', reason: 'key.pem cannot be read', refusal: 'start_failed', mendable: false },
  { type: 'declared', host: '127.0.0.1', port: 8000 },
  { type: 'declared', host: '127.0.0.1', port: '8000', store: { kind: 'memory' }, tls: 'off', atStart },
  { type: 'declared', host: '127.0.0.1', port: 1.5, store: { kind: 'memory' }, tls: 'off', atStart },
  { type: 'declared', host: 1, port: 8000, store: { kind: 'memory' }, tls: 'off', atStart },
  { type: 'declared', host: '127.0.0.1', port: 8000, store: { kind: 'stack' }, tls: 'off', atStart },
  { type: 'declared', host: '127.0.0.1', port: 8000, store: { kind: 'sqlite', path: 1 }, tls: 'off', atStart },
  { type: 'declared', host: '127.0.0.1', port: 8000, store: { kind: 'redis' }, tls: 'off', atStart },
  { type: 'declared', host: '::1', port: 0, store: { ...database, poolSize: '4' }, tls: 'off', atStart },
  { type: 'declared', host: '::1', port: 0, store: { ...database, url: undefined }, tls: 'off', atStart },
  { type: 'declared', host: '127.0.0.1', port: 8000, store: { kind: 'memory' }, logLevel: 1, tls: 'off', atStart },
  { type: 'declared', host: '::1', port: 0, store: database, tls: 'off' },
  ...[
    { ...strictly, trustForwarded: 'true' },
    { ...strictly, corsOrigins: [1] },
    { ...strictly, defaultCorsOrigins: 'none' },
    { ...strictly, allowCredentialsOfEveryOrigin: 'false' },
    { ...strictly, rate: 10 },
    { ...strictly, cookieSecret: 1 },
  ].map((values) => ({ type: 'declared', host: '::1', port: 0, store: database, tls: 'off', atStart: values })),
];

describe('parsing a report', () => {
  for (const message of valid) {
    it(`accepts ${JSON.stringify(message)}`, () => {
      expect(readReport(message)).to.deep.equal(message);
      expect(reportModel.parse(message)).to.deep.equal(message);
    });
  }

  for (const message of invalid) {
    it(`rejects ${JSON.stringify(message)}`, () => {
      expect(readReport(message)).to.equal(undefined);
      expect(reportModel.safeParse(message).success).to.equal(false);
    });
  }

  it('drops unknown members', () => {
    expect(readReport({ type: 'pong', further: 1 })).to.deep.equal({ type: 'pong' });
  });
});
