// npm run bench: how fast this machine's test-idp is, in numbers that survive another machine: shares of the RSA limit,
// of a bare node:http, of an empty Node process, and beside two peers in the same run. Sampled answers are verified.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose';
import { benchFaults } from './faults.ts';
import { httpRequest, type LoadResult, load } from './http-load.ts';
import { median } from './median.ts';
import { benchRecorder } from './recorder.ts';
import { rsaSignaturesPerSecond } from './rsa-limit.ts';
import { benchSandboxes } from './sandboxes.ts';
import { memoryOfTree, type StartedProgram, startProgram } from './started-program.ts';
import { benchTls, readSecurely } from './tls.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const peers = join(root, 'bench', 'peers');
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
/** Of scenarios that compare two of ours in turns. */
const pairs = Number(process.env.BENCH_PAIRS ?? 8);
const connections = 16;

const print = (line: string) => process.stdout.write(`${line}\n`);
const rounded = (value: number, digits = 0) => value.toFixed(digits);

function prepareDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-bench-'));
  mkdirSync(join(directory, 'config'));
  writeFileSync(
    join(directory, 'config', 'settings.yaml'),
    [
      'oauth:',
      '  issuer_from_request: true',
      '  clients:',
      '    - { client_id: demo-client, client_secret: demo-secret }',
      'logging: { log_token_requests: false }',
      '',
    ].join('\n'),
  );
  writeFileSync(join(directory, 'config', 'users.yaml'), 'users:\n  admin: { password: admin }\n');
  return directory;
}

const startTestIdp = (directory: string, ...further: string[]) => startBuild(join(root, 'dist'), directory, ...further);

/** `build`: the directory of its cli.js. */
const startBuild = (build: string, directory: string, ...further: string[]) =>
  startProgram([
    join(build, 'cli.js'),
    'start',
    ...further,
    ...['--config-dir', join(directory, 'config'), '--port', '0', '--ready-json', '--log-level', 'WARNING'],
  ]);

async function tokenLoad(program: StartedProgram): Promise<LoadResult> {
  const credentials = Buffer.from('demo-client:demo-secret').toString('base64');
  const request = httpRequest(program.baseUrl, {
    method: 'POST',
    path: program.tokenPath,
    headers: { Authorization: `Basic ${credentials}`, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  const { baseUrl, ca } = program;
  const result = await load({ baseUrl, ca, request, connections, seconds, warmUpSeconds: 1 });
  const keys =
    ca === undefined
      ? createRemoteJWKSet(new URL(program.jwksUrl))
      : createLocalJWKSet(JSON.parse(await readSecurely(program.jwksUrl, ca)));
  for (const sample of result.samples) {
    const { access_token } = JSON.parse(sample.body) as { access_token: string };
    await jwtVerify(access_token, keys, { algorithms: ['RS256'] });
  }
  if (result.errors > 0 || result.samples.length === 0) throw new Error(`${result.errors} errors: not a measurement`);
  return result;
}

const getLoad =
  (path: string) =>
  ({ baseUrl }: StartedProgram): Promise<LoadResult> => {
    const request = httpRequest(baseUrl, { method: 'GET', path });
    return load({ baseUrl, request, connections, seconds, warmUpSeconds: 1 });
  };
const discoveryLoad = getLoad('/.well-known/openid-configuration');

async function benchTokens(directory: string): Promise<void> {
  const contenders: [string, () => Promise<StartedProgram>][] = [
    ['test-idp', () => startTestIdp(directory)],
    ['oidc-provider', () => startProgram([join(peers, 'oidc-provider.mjs')], { cwd: peers })],
    ['oauth2-mock-server', () => startProgram([join(peers, 'oauth2-mock-server.mjs')], { cwd: peers })],
  ];
  const limits: number[] = [];
  const rates = new Map<string, LoadResult[]>();
  for (let round = 0; round < rounds; round += 1) {
    limits.push(await rsaSignaturesPerSecond(2));
    for (const [name, start] of contenders) {
      const program = await start();
      rates.set(name, [...(rates.get(name) ?? []), await tokenLoad(program)]);
      await program.stop();
    }
  }
  const limit = median(limits);
  print(`RSA-2048 signatures/s, all cores, nothing else: ${rounded(limit)}`);
  print('\nclient_credentials, 16 connections (ours with the audit on):');
  for (const [name, results] of rates) {
    const rate = median(results.map((result) => result.requestsPerSecond));
    const p99 = median(results.map((result) => result.p99));
    print(
      `  ${name.padEnd(20)} ${rounded(rate).padStart(6)}/s  ${rounded(rate / limit, 2)} of the RSA limit  p99 ${rounded(p99, 1)} ms`,
    );
  }
}

async function benchDiscovery(directory: string): Promise<void> {
  const rates: Record<string, number[]> = { bare: [], ours: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, start] of [
      ['bare', () => startProgram([join(peers, 'bare-http.mjs')])],
      ['ours', () => startTestIdp(directory)],
    ] as const) {
      const program = await start();
      rates[name]?.push((await discoveryLoad(program)).requestsPerSecond);
      await program.stop();
    }
  }
  const [bare, ours] = [median(rates.bare ?? []), median(rates.ours ?? [])];
  print(`\ndiscovery: ${rounded(ours)}/s, bare node:http ${rounded(bare)}/s: ${rounded(ours / bare, 2)}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** From the start of the process to the first answered discovery: the door is open, SAML and MCP still come up. */
async function millisecondsToFirstAnswer(directory: string): Promise<number> {
  const port = String(await freePort());
  const started = performance.now();
  const args = [join(root, 'dist', 'cli.js'), 'start', '--config-dir', join(directory, 'config'), '--port', port];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const address = `http://127.0.0.1:${port}/.well-known/openid-configuration`;
  while (
    !(await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('test-idp ended before it answered');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const milliseconds = performance.now() - started;
  child.kill('SIGTERM');
  await ended;
  return milliseconds;
}

async function benchStart(directory: string): Promise<void> {
  const empty: number[] = [];
  const bare: number[] = [];
  const ready: number[] = [];
  const first: number[] = [];
  const door: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const started = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    empty.push(performance.now() - started);
    door.push(await millisecondsToFirstAnswer(directory));
    for (const [times, start, prepare] of [
      [bare, () => startProgram([join(peers, 'bare-http.mjs')]), () => {}],
      [ready, () => startTestIdp(directory), () => {}],
      [first, () => startTestIdp(directory), () => rmSync(join(directory, 'keys'), { recursive: true, force: true })],
    ] as const) {
      prepare();
      const program = await start();
      times.push(program.millisecondsToReady);
      await program.stop();
    }
  }
  print('\ntime to ready (median of 7):');
  print(`  an empty Node process      ${rounded(median(empty))} ms`);
  print(`  bare node:http             ${rounded(median(bare))} ms`);
  for (const [name, times] of [
    ['the door answers', door],
    ['every worker ready', ready],
    ['first start, makes keys', first],
  ] as const) {
    const time = median(times);
    print(
      `  ${name.padEnd(25)}  ${rounded(time)} ms = ${rounded(time / median(bare), 1)} × bare node:http, ${rounded(time / median(empty), 1)} × empty`,
    );
  }
}

async function benchMemory(directory: string): Promise<void> {
  const program = await startTestIdp(directory);
  await tokenLoad(program);
  print('\nresident memory after a load, MiB:');
  for (const [name, mebibytes] of memoryOfTree(program.pid)) print(`  ${name.padEnd(30)} ${rounded(mebibytes)}`);
  await program.stop();
}

const scenarios: Readonly<Record<string, (directory: string) => Promise<void>>> = {
  tokens: benchTokens,
  discovery: benchDiscovery,
  start: benchStart,
  memory: benchMemory,
  tls: (directory) =>
    benchTls({ start: (...further) => startTestIdp(directory, ...further), tokenLoad, rounds: pairs, print }),
  faults: (directory) =>
    benchFaults(root, { start: (build) => startBuild(build, directory), tokenLoad, rounds: pairs, print }),
  recorder: (directory) =>
    benchRecorder({
      start: () => startTestIdp(directory),
      loads: [
        { name: 'client_credentials', least: 0.97, load: tokenLoad },
        { name: 'discovery', least: 0.95, load: discoveryLoad },
        { name: 'jwks', least: 0.95, load: getLoad('/.well-known/jwks.json') },
      ],
      rounds: pairs,
      print,
    }),
  sandboxes: (directory) => benchSandboxes({ start: () => startTestIdp(directory), tokenLoad, rounds, print }),
};
const needPeers = new Set(['tokens', 'discovery', 'start']);

/** `--only sandboxes`, or several with commas; without it all. */
function chosen(): readonly string[] {
  const { values } = parseArgs({ options: { only: { type: 'string' } } });
  const names = values.only?.split(',') ?? Object.keys(scenarios);
  const unknown = names.find((name) => !Object.hasOwn(scenarios, name));
  if (unknown !== undefined) throw new Error(`there is no scenario ${unknown}: ${Object.keys(scenarios).join(', ')}`);
  return names;
}

const names = chosen();
if (names.some((name) => needPeers.has(name)) && !existsSync(join(peers, 'node_modules'))) {
  print('installing the peers (once) …');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: peers, stdio: 'inherit' });
}
const directory = prepareDirectory();
try {
  await (await startTestIdp(directory)).stop();
  for (const name of names) await scenarios[name]?.(directory);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
