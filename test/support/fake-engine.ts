// The part of a container engine's API that the testcontainers libraries need for one container. Its "container" is the
// built command, started with the arguments of the Dockerfile and reached by a published port (IMG-18). Nothing is
// isolated.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { repositoryRoot } from './source-text.ts';
import { cliPath, type SpawnedIdp, spawnIdp } from './start-idp.ts';

export interface FakeEngine {
  /** `tcp://…`, for DOCKER_HOST. */
  readonly address: string;
  /** The requests, such as `POST /containers/create`, without the version and random values. */
  readonly asked: readonly string[];
  /** The requests to each container before its health check had passed. */
  readonly early: readonly string[];
  stop(): Promise<void>;
}

interface Container {
  readonly id: string;
  readonly image: string;
  readonly labels: unknown;
  readonly portServer: Server;
  readonly hostPort: number;
  /** Undefined if it did not start. `failure` then contains the reason. */
  readonly running: Promise<SpawnedIdp | undefined>;
  isHealthy: boolean;
  failure: string | undefined;
  checking: Promise<void> | undefined;
  remove(): Promise<void>;
}

const creation = z.looseObject({
  Image: z.string(),
  Cmd: z.array(z.string()).nullish(),
  Env: z.array(z.string()).nullish(),
  Labels: z.record(z.string(), z.string()).nullish(),
  ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
});

/** The arguments of an instruction of the Dockerfile, the last of its kind. */
function instructionOf(instruction: string): string {
  const lines = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8').split('\n');
  return lines.findLast((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ?? '';
}

const words = z.array(z.string());
const image = {
  command: words.parse(JSON.parse(instructionOf('CMD'))),
  health: words.parse(JSON.parse(/CMD (\[.*\])/.exec(instructionOf('HEALTHCHECK'))?.[1] ?? '')),
  environment: instructionOf('ENV').split(' '),
  ports: instructionOf('EXPOSE').split(' '),
};

export async function startFakeEngine(): Promise<FakeEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'test-idp-engine-'));
  const containers = new Map<string, Container>();
  const asked: string[] = [];
  const early: string[] = [];

  async function create(body: unknown): Promise<string> {
    const { Image, Cmd, Env, Labels, ExposedPorts } = creation.parse(body);
    const [port] = Object.keys(ExposedPorts ?? {});
    if (!image.ports.some((exposed) => port === `${exposed}/tcp`)) throw new Error(`nothing listens at ${port}`);
    const id = `${containers.size + 1}`.padStart(64, '0');
    const pairs = [...image.environment, ...(Env ?? [])].map((pair) => pair.split(/=(.*)/s, 2));
    const starting = spawnIdp([...(Cmd?.length ? Cmd : image.command), '--port', '0', '--mcp-port', '0'], {
      cwd: folder,
      env: Object.fromEntries(pairs),
    });
    const running = starting.catch((error: unknown) => {
      container.failure = String(error);
      return undefined;
    });
    const portServer = createTcpServer(async (caller) => {
      caller.on('error', () => {});
      if (!container.isHealthy) early.push(id);
      const idp = await running;
      if (idp === undefined) return caller.destroy();
      const inside = connect(Number(new URL(idp.baseUrl).port), '127.0.0.1');
      inside.on('error', () => caller.destroy());
      caller.pipe(inside).pipe(caller);
    });
    await new Promise<void>((resolve) => portServer.listen(0, '127.0.0.1', resolve));
    const container: Container = {
      id,
      image: Image,
      labels: Labels ?? {},
      portServer,
      hostPort: (portServer.address() as AddressInfo).port,
      running,
      isHealthy: false,
      failure: undefined,
      checking: undefined,
      async remove() {
        containers.delete(id);
        portServer.close();
        await (await running)?.stop();
      },
    };
    containers.set(id, container);
    return id;
  }

  /** The health check of the image, run one at a time as an engine does. */
  function check(container: Container): void {
    container.checking ??= container.running.then(async (idp) => {
      if (idp === undefined) return;
      const [, ...args] = image.health;
      const child = spawn(process.execPath, [cliPath, ...args], { env: { ...process.env, IDP_URL: idp.baseUrl } });
      const code = await new Promise((resolve) => child.once('close', resolve));
      container.isHealthy = code === 0;
      container.checking = undefined;
    });
  }

  function inspect(container: Container) {
    const { id, image: name, labels, hostPort, isHealthy } = container;
    if (!isHealthy) check(container);
    const [port] = image.ports;
    const published = { [`${port}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: String(hostPort) }] };
    const now = new Date().toISOString();
    const Health = { Status: isHealthy ? 'healthy' : 'starting', FailingStreak: 0, Log: [] };
    return {
      ...{ Id: id, Name: '/test-idp', Created: now, Image: name },
      State: {
        Status: 'running',
        Running: true,
        StartedAt: now,
        FinishedAt: '0001-01-01T00:00:00Z',
        ExitCode: 0,
        Health,
      },
      Config: { Hostname: 'test-idp', Image: name, Labels: labels, Healthcheck: { Test: ['CMD', ...image.health] } },
      HostConfig: { NetworkMode: 'bridge', PortBindings: published },
      NetworkSettings: { Ports: published, Networks: { bridge: { IPAddress: '172.17.0.2', NetworkID: 'bridge' } } },
    };
  }

  async function answer(method: string, path: string, body: unknown): Promise<readonly [number, unknown]> {
    const [, kind = '', name = '', verb = ''] = path.split('/');
    const described = { Os: 'linux', Arch: 'amd64', ApiVersion: '1.44', MinAPIVersion: '1.24', Version: '28.0.0' };
    if (kind === '_ping') return [200, 'OK'];
    if (name === 'prune') return [200, {}];
    if (kind === 'version') return [200, described];
    if (kind === 'info') return [200, { ...described, OSType: 'linux', OperatingSystem: 'fake', MemTotal: 2 ** 33 }];
    if (kind === 'images' && path.endsWith('/json')) {
      const ExposedPorts = Object.fromEntries(image.ports.map((port) => [`${port}/tcp`, {}]));
      const Config = { ExposedPorts, Healthcheck: { Test: ['CMD', ...image.health] } };
      return [
        200,
        name === 'json' ? [] : { Id: 'sha256:0', RepoTags: [name], Architecture: 'amd64', Os: 'linux', Config },
      ];
    }
    if (kind === 'containers') {
      if (name === 'create') return [201, { Id: await create(body), Warnings: [] }];
      if (name === 'json') return [200, []];
      const container = containers.get(name);
      if (container === undefined) return [404, { message: `no container ${name}` }];
      if (container.failure !== undefined) return [500, { message: container.failure }];
      if (verb === 'json') return [200, inspect(container)];
      if (verb === 'logs') return [200, ''];
      if (method === 'DELETE') await container.remove();
      return [204, ''];
    }
    return [404, { message: `this engine has no ${method} ${path}` }];
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request;
    const path = new URL(url, 'http://engine').pathname.replace(/^\/v[\d.]+/, '');
    asked.push(`${method} ${path.replace(/[0-9a-f]{64}/, 'ID')}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const isJson = request.headers['content-type']?.startsWith('application/json') === true && text !== '';
    const [status, body] = await answer(method, path, isJson ? JSON.parse(text) : undefined).catch(
      (error: unknown) => [500, { message: String(error) }] as const,
    );
    const isText = typeof body === 'string';
    const headers = {
      'Api-Version': '1.44',
      Ostype: 'linux',
      'Content-Type': isText ? 'text/plain' : 'application/json',
    };
    response.writeHead(status, headers).end(status === 204 ? undefined : isText ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    early,
    async stop() {
      server.close();
      server.closeAllConnections();
      await Promise.all([...containers.values()].map((container) => container.remove()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
