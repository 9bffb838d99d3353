// The classes in examples/testcontainers are short, and run unchanged with the libraries of their languages. A fake of
// an engine's API starts the real product (IMG-14, IMG-18).
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { downloadsOrSkip, toolOrSkip } from '#test/support/debian-programs.ts';
import { type FakeEngine, startFakeEngine } from '#test/support/fake-engine.ts';
import { claimsOf } from '#test/support/http.ts';
import { nodeRelease } from '#test/support/node-releases.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

const classes = join(repositoryRoot, 'examples', 'testcontainers');
/** What the library requests. */
const newerNode = '24.21.0';
const libraries = { node: '12.0.4', python: '4.15.0', java: '2.0.2' } as const;

describe('the testcontainers classes', function () {
  this.timeout(600_000);
  let folder: string;
  let engine: FakeEngine;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'test-idp-testcontainers-'));
    cpSync(classes, folder, { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    engine = await startFakeEngine();
  });
  afterEach(() => engine.stop());

  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const install = (tool: string, ...args: string[]) =>
    execFileSync(tool, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });

  /**
   * Runs a program that uses a class. It prints issuer, discovery, and the token responses of a user and of the client.
   */
  async function expectTokens(tool: string, ...args: string[]): Promise<void> {
    const child = spawn(tool, args, {
      cwd: folder,
      // The fake cannot start the container that would remove leftovers of a test.
      env: {
        ...process.env,
        DOCKER_HOST: engine.address,
        TESTCONTAINERS_RYUK_DISABLED: 'true',
        TESTCONTAINERS_CONNECTION_MODE: 'docker_host',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, log] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code, `${out}\n${log}\n${engine.asked.join('\n')}`).to.equal(0);
    const [issuer = '', discovery, user = '', client = ''] = out.trim().split('\n').slice(-4);
    expect(issuer).to.match(/^http:\/\/(?:localhost|127\.0\.0\.1):\d+$/);
    expect(discovery).to.equal(`${issuer}/.well-known/openid-configuration`);
    const claims = (response: string) => claimsOf(JSON.parse(response).access_token);
    expect(claims(user)).to.include({ iss: issuer, sub: 'admin' });
    expect(claims(client)).to.include({ iss: issuer, sub: 'demo-client' });
    // It waited for the engine's health check, and left nothing behind.
    expect(engine.early).to.deep.equal([]);
    expect(engine.asked).to.include.members([
      'POST /containers/create',
      'GET /containers/ID/json',
      'DELETE /containers/ID',
    ]);
  }

  verifies('IMG-14', 'have at most 60 lines each', () => {
    const names = readdirSync(classes);
    expect(names).to.have.members(['TestIdpContainer.java', 'test-idp-container.mjs', 'test_idp_container.py']);
    for (const name of names) {
      expect(readFileSync(join(classes, name), 'utf8').trimEnd().split('\n').length, name).to.be.at.most(60);
    }
  });

  verifies(
    ['IMG-14', 'IMG-18'],
    `return issuer, discovery and tokens with testcontainers ${libraries.node} of Node.js`,
    async () => {
      write('package.json', '{"private": true}');
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      install('npm', 'install', ...quiet, `testcontainers@${libraries.node}`);
      write(
        'use.mjs',
        `import { TestIdpContainer } from './test-idp-container.mjs';
const idp = await new TestIdpContainer('test-idp:3').start();
console.log([idp.issuer, idp.discoveryUrl].join('\\n'));
console.log(JSON.stringify(await idp.token({ user: 'admin' })));
console.log(JSON.stringify(await idp.token()));
await idp.stop();
`,
      );
      await expectTokens(nodeRelease(newerNode), 'use.mjs');
    },
  );

  verifies(['IMG-14', 'IMG-18'], `return them with testcontainers ${libraries.python} of Python`, async function () {
    downloadsOrSkip(this, 'PyPI');
    const python = toolOrSkip(this, 'python3');
    const target = join(folder, 'python');
    const quietly = ['--quiet', '--root-user-action=ignore', '--target', target];
    install(python, '-m', 'pip', 'install', ...quietly, `testcontainers==${libraries.python}`);
    write(
      'use.py',
      `import json, sys
sys.path.append("python")
from test_idp_container import TestIdpContainer
with TestIdpContainer("test-idp:3") as idp:
    print(idp.issuer, idp.discovery_url, json.dumps(idp.token(user="admin")), json.dumps(idp.token()), sep="\\n")
`,
    );
    await expectTokens(python, 'use.py');
  });

  verifies(['IMG-14', 'IMG-18'], `return them with testcontainers ${libraries.java} of Java`, async function () {
    downloadsOrSkip(this, 'Maven Central');
    const [maven, javac, java] = [
      toolOrSkip(this, 'mvn', 'maven'),
      toolOrSkip(this, 'javac', 'default-jdk-headless'),
      toolOrSkip(this, 'java', 'default-jdk-headless'),
    ];
    const names = '<groupId>somebody</groupId><artifactId>somebody</artifactId><version>1</version>';
    const library = `<groupId>org.testcontainers</groupId><artifactId>testcontainers</artifactId><version>${libraries.java}</version>`;
    write(
      'pom.xml',
      `<project><modelVersion>4.0.0</modelVersion>${names}<dependencies><dependency>${library}</dependency></dependencies></project>`,
    );
    install(maven, '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=java');
    write(
      'Use.java',
      `import org.testcontainers.utility.DockerImageName;

public class Use {
  public static void main(String[] args) throws Exception {
    try (TestIdpContainer idp = new TestIdpContainer(DockerImageName.parse("test-idp:3"))) {
      idp.start();
      System.out.println(idp.getIssuer() + "\\n" + idp.getDiscoveryUrl());
      System.out.println(idp.userToken("admin").replace("\\n", ""));
      System.out.println(idp.clientToken("demo-client", "demo-secret").replace("\\n", ""));
    }
  }
}
`,
    );
    mkdirSync(join(folder, 'out'));
    install(javac, '-cp', 'java/*', '-d', 'out', 'Use.java', 'TestIdpContainer.java');
    await expectTokens(java, '-cp', ['out', 'java/*'].join(delimiter), 'Use');
  });
});
