// The classes in examples/testcontainers: short, compiled, and run beside the real product. The libraries they extend are
// stand-ins of the few methods that the classes call; no engine is asked, and none is imitated (IMG-14, IMG-18 stay pending).
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { claimsOf } from '#test/support/http.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { toolOrSkip } from '#test/support/tools.ts';

const classes = join(repositoryRoot, 'examples', 'testcontainers');

describe('the testcontainers classes', function () {
  this.timeout(120_000);
  let folder: string;
  let idp: RunningIdp;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'test-idp-testcontainers-'));
    cpSync(classes, folder, { recursive: true });
    const clients = [{ client_id: 'demo-client', client_secret: 'demo-secret' }];
    idp = await startIdp({
      settings: { oauth: { issuer_from_request: true, clients } },
      users: { users: { 'alice b': { password: 'a' } } },
    });
  });
  after(async () => {
    await idp?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const run = (tool: string, ...args: string[]) =>
    execFileSync(tool, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PORT: new URL(idp.baseUrl).port },
    });

  function expectSaid(said: string): void {
    const [issuer, discovery, user, client] = said.trim().split('\n');
    expect([issuer, discovery]).to.deep.equal([idp.baseUrl, `${idp.baseUrl}/.well-known/openid-configuration`]);
    const tokenOf = (text = '') => claimsOf(JSON.parse(text).access_token);
    expect(tokenOf(user)).to.include({ iss: idp.baseUrl, sub: 'alice b' });
    expect(tokenOf(client)).to.include({ iss: idp.baseUrl, sub: 'demo-client' });
  }

  it('have at most 60 lines each, wait by health and know the port of the image', () => {
    const names = readdirSync(classes);
    expect(names).to.have.members(['TestIdpContainer.java', 'test-idp-container.mjs', 'test_idp_container.py']);
    for (const name of names) {
      const text = readFileSync(join(classes, name), 'utf8');
      expect(text.trimEnd().split('\n').length, name).to.be.at.most(60);
      expect(text, name)
        .to.match(/health/i)
        .and.match(/\b8000\b/);
    }
  });

  it('give issuer, discovery and tokens in Node.js', () => {
    write('node_modules/testcontainers/package.json', '{"type": "module", "exports": "./index.js"}');
    write(
      'node_modules/testcontainers/index.js',
      `export const Wait = { forHealthCheck: () => 'health' };
export class GenericContainer {
  withExposedPorts(port) { this.port = port; return this; }
  withWaitStrategy(strategy) { this.strategy = strategy; return this; }
  async start() {
    if (this.strategy !== 'health') throw new Error('it does not wait');
    return { getHost: () => '127.0.0.1', getMappedPort: (port) => port === this.port && process.env.PORT };
  }
}
export class AbstractStartedContainer {
  constructor(started) { this.started = started; }
  getHost() { return this.started.getHost(); }
  getMappedPort(port) { return this.started.getMappedPort(port); }
}
`,
    );
    write(
      'use.mjs',
      `import { TestIdpContainer } from './test-idp-container.mjs';
const idp = await new TestIdpContainer('test-idp:3').start();
console.log([idp.issuer, idp.discoveryUrl].join('\\n'));
console.log(JSON.stringify(await idp.token({ user: 'alice b' })));
console.log(JSON.stringify(await idp.token()));
`,
    );
    expectSaid(run(process.execPath, 'use.mjs'));
  });

  it('give them in Python', function () {
    const python = toolOrSkip(this, 'python3');
    write('testcontainers/__init__.py', '');
    write('testcontainers/core/__init__.py', '');
    write('testcontainers/core/wait_strategies.py', 'class HealthcheckWaitStrategy: pass\n');
    write(
      'testcontainers/core/container.py',
      `import os
from testcontainers.core.wait_strategies import HealthcheckWaitStrategy
class DockerContainer:
    def __init__(self, image): self.image = image
    def with_exposed_ports(self, port): self.port = port
    def waiting_for(self, strategy): self.strategy = strategy
    def __enter__(self):
        assert isinstance(self.strategy, HealthcheckWaitStrategy)
        return self
    def __exit__(self, *args): pass
    def get_container_host_ip(self): return "127.0.0.1"
    def get_exposed_port(self, port): return os.environ["PORT"] if port == self.port else None
`,
    );
    write(
      'use.py',
      `import json
from test_idp_container import TestIdpContainer
with TestIdpContainer("test-idp:3") as idp:
    print(idp.issuer, idp.discovery_url, json.dumps(idp.token(user="alice b")), json.dumps(idp.token()), sep="\\n")
`,
    );
    expectSaid(run(python, 'use.py'));
  });

  it('give them in Java', function () {
    const javac = toolOrSkip(this, 'javac');
    const java = toolOrSkip(this, 'java');
    const stand = 'org/testcontainers';
    write(
      `${stand}/containers/wait/strategy/Wait.java`,
      'package org.testcontainers.containers.wait.strategy;\npublic class Wait { public static Object forHealthcheck() { return "health"; } }\n',
    );
    write(
      `${stand}/utility/DockerImageName.java`,
      'package org.testcontainers.utility;\npublic class DockerImageName { public static DockerImageName parse(String name) { return new DockerImageName(); } }\n',
    );
    write(
      `${stand}/containers/GenericContainer.java`,
      `package org.testcontainers.containers;
public class GenericContainer<Self> {
  private Integer port;
  private Object strategy;
  public GenericContainer(org.testcontainers.utility.DockerImageName image) {}
  public Self withExposedPorts(Integer... ports) { port = ports[0]; return null; }
  public Self waitingFor(Object given) { strategy = given; return null; }
  public void start() { if (strategy != "health") throw new IllegalStateException(); }
  public String getHost() { return "127.0.0.1"; }
  public Integer getMappedPort(int asked) { return asked == port ? Integer.valueOf(System.getenv("PORT")) : null; }
}
`,
    );
    write(
      'Use.java',
      `public class Use {
  public static void main(String[] args) throws Exception {
    TestIdpContainer idp = new TestIdpContainer(org.testcontainers.utility.DockerImageName.parse("test-idp:3"));
    idp.start();
    System.out.println(idp.getIssuer() + "\\n" + idp.getDiscoveryUrl());
    System.out.println(idp.userToken("alice b").replace("\\n", ""));
    System.out.println(idp.clientToken("demo-client", "demo-secret").replace("\\n", ""));
  }
}
`,
    );
    run(javac, '-Xlint:all', '-Werror', '-d', 'out', 'Use.java', 'TestIdpContainer.java');
    expectSaid(run(java, '-cp', 'out', 'Use'));
  });
});
