// The guides under docs/guides work: the blocks of each guide run as written, in order, in one shell, against the demo
// configuration. Only the address of the demo is replaced, because a test never uses a fixed port.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { blocksOf } from '#test/support/guide-blocks.ts';
import { cliPath, type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const demoAddress = 'http://127.0.0.1:8000';

describe('the guides', () => {
  let root: string;
  let idp: RunningIdp;
  before(async function () {
    for (const tool of ['bash', 'curl', 'jq', 'openssl']) toolOrSkip(this, tool);
    root = mkdtempSync(join(tmpdir(), 'test-idp-guides-'));
    cpSync(join(repository, 'config'), join(root, 'config'), { recursive: true });
    idp = await startIdp({ root });
  });
  after(async () => {
    await idp?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function follow(guide: string): Promise<string> {
    const directory = join(root, guide);
    mkdirSync(directory);
    symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'));
    const ours = (text: string) => text.replaceAll(demoAddress, idp.baseUrl);
    const blocks = blocksOf(guide);
    for (const { file, text } of blocks) if (file !== undefined) writeFileSync(join(directory, file), ours(text));
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => ours(text));
    const script = ['set -euo pipefail', `test-idp() { "${process.execPath}" "${cliPath}" "$@"; }`, ...commands];
    return shell(script.join('\n'), directory);
  }

  /** Runs the text as a module next to an installed `test-idp`. */
  function runWithPackage(name: string, text: string): Promise<string> {
    const directory = join(root, name);
    mkdirSync(join(directory, 'node_modules'), { recursive: true });
    symlinkSync(repository, join(directory, 'node_modules', 'test-idp'));
    writeFileSync(join(directory, 'example.mjs'), text);
    return shell(`"${process.execPath}" example.mjs`, directory);
  }

  function shell(script: string, cwd: string): Promise<string> {
    const child = spawn('bash', ['-c', script], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => {
        // Processes of failed commands end with their process group.
        if (code !== 0 && child.pid !== undefined) endGroup(child.pid);
      });
      child.once('close', (code) => {
        if (code === 0) resolve(out);
        else reject(new Error(`the commands ended with ${code}\n${out}\n${log}`));
      });
    });
  }

  it('log in, renew, rotate and explain a rejection in the one for OpenID Connect clients', async () => {
    const out = await follow('openid-connect.md');
    expect(out).to.include(`"issuer":"${idp.baseUrl}"`);
    expect(out).to.match(/alice\n/);
    expect(out).to.include("email: 'alice@example.org'");
    expect(out).to.match(/\n3600\n/);
    expect(out).to.include('"expires_in":60');
    expect(out).to.match(/"old_kid":"[\w-]+"/);
    expect(out).to.include('"error":"authorization_pending"');
    expect(out).to.include("token_type dpop\n{ sub: 'demo-client' }");
    expect(out).to.include('the browser brings request_uri and client_id\npushed for alice');
    expect(out).to.include('"error":"invalid_client"');
    expect(out).to.include('"event_type": "token_request"');
  });

  it('log in and query attributes in the one for SAML service providers', async () => {
    const out = await follow('saml.md');
    expect(out).to.match(/^notAfter=/m);
    expect(out).to.match(/^.*alice@example.org deep-link$/m);
    expect(out).to.match(/status:Success/);
    expect(out).to.include('alice@example.org');
  });

  it('register, log in and name the resource in the one for MCP clients', async () => {
    const out = await follow('mcp.md');
    expect(out).to.match(/"registration_endpoint": "http:\/\/127\.0\.0\.1:\d+\/register"/);
    expect(out).to.include('"client_id_metadata_document_supported": true');
    expect(out).to.match(/https:\/\/mcp\.example\/mcp\nhttps:\/\/somebody-else\.example\n$/);
  });

  it('expire a token, freeze the clock and return in the one for time', async () => {
    const out = await follow('time.md');
    expect(out).to.match(/^200\n\{.*\}\n200\n\{.*\}\n401\n/);
    expect(out).to.contain('"now":"2030-01-01T00:00:00.000Z"').and.contain('\n1893456000\n');
    expect(out).to.contain('"now":"2030-01-01T00:01:30.000Z"');
    expect(out).to.match(/false\n\{"offset_seconds":0,"frozen":false,"moved":false\}\n200\n6\n$/);
  });

  it('report what a client accepted in the one for the exam', async () => {
    const out = await follow('exam.md');
    expect(out).to.match(/^✗ alg_none +accepted: .*\(RFC 8725 §2\.1, §3\.1\)$/m);
    expect(out).to.match(/^✗ payload_tampered +accepted: the last page shows the name of the other user/m);
    expect(out).to.match(/^✓ id_token_missing +rejected: /m);
    expect(out).to.match(/^✓ expires_in_missing +accepted: /m);
    expect(out).to.match(/\n5 cases: 2 good, 3 bad, 0 undecided, 0 skipped\nexit code 1\n/);
    expect(out.match(/^saml_xsw[1-8] +reject/gm)).to.have.length(8);
  });

  it('explain a rejected request and wait for requests in the one for flows', async () => {
    const out = await follow('flows.md');
    expect(out).to.match(/^\/token rejected the request with 400: [^\n]+ \(RFC 6749 §[\d.]+\)\. Expected: [^\n]+\n/);
    expect(out).to.contain(
      '\n{"held":true,"count":1}\n{"held":false,"count":1}\n{"enabled":true,"bound":10000}\ntrue\n',
    );
  });

  it('create a sandbox, use it alone, reset and delete it in the one for parallel tests', async () => {
    const out = await follow('parallel-tests.md');
    expect(out).to.match(/^http:\/\/127\.0\.0\.1:\d+\/s\/[a-z0-9]{12}$/m);
    expect(out).to.match(/^zoe\nzoe\n401\nAnother identity provider on this server issued the token/m);
    expect(out).to.match(/"deleted":"[a-z0-9]{12}"/);
    expect(out).to.match(/unknown_sandbox\n\{"security_profile":"oauth21"\}\noauth21\ndev\n$/);
  });

  it('produce invalid tokens and wrong responses in the one for negative tests', async () => {
    const out = await follow('negative-tests.md');
    expect(out).to.match(/^.*valid_for":-\d+,.*\n401\n.*begins_in":(?:600|5\d\d).*\n401\n.*valid_for":3\d+,.*\n200\n/);
    expect(out).to.match(
      /valid_for":-3\d+,.*\n.*token_expired\r\n.*valid_for":3\d+,.*\n\{"hits":1,"remaining":0\}\n\{"deleted":"[^"]+"\}\n/i,
    );
    expect(out).to.match(/"correct_client":"reject"\}\n401\n$/);
  });

  it('show what was sent and restore everything in the one for troubleshooting', async () => {
    const out = await follow('troubleshooting.md');
    expect(out).to.include(
      `${idp.baseUrl}\nhttps://api.example\nClient authentication failed: the request used client_secret_post, but this client is registered with client_secret_basic.\ntrue\n"redirect_uri_not_registered"\n["http://localhost:1/",["http://127.0.0.1:3000/callback","http://localhost:3000/callback"],["path"]]\n`,
    );
    expect(out.match(/true$/gm)).to.have.length(3);
  });

  it('register every named callback and a client that fits all frameworks in the one for frameworks', async () => {
    const out = await follow('frameworks.md');
    const { redirect_uris: registered } = JSON.parse(out);
    const text = readFileSync(join(repository, 'docs/guides/frameworks.md'), 'utf8');
    const named = [...text.matchAll(/^Callback: `([^`]+)`/gm)].map(([, uri = '']) =>
      uri.replace(demoAddress, idp.baseUrl),
    );
    expect(named).to.have.length(7);
    expect(registered).to.include.members(named);
    const [id, secret] = ['framework-app', 'framework-secret'];
    // passport's strategy and mozilla-django-oidc use the form, the others the header.
    for (const sent of [
      { headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` }, fields: {} },
      { headers: {}, fields: { client_id: id, client_secret: secret } },
    ]) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...sent.fields });
      const answer = await fetch(`${idp.baseUrl}/token`, { method: 'POST', headers: sent.headers, body });
      expect(answer.status, JSON.stringify(sent)).to.equal(200);
    }
  });

  it('say which settings are understood in the one for users of other tools', async () => {
    process.env.IDP_FILES = join(repository, 'config');
    try {
      expect(await follow('coming-from.md')).to.match(/valid/);
    } finally {
      delete process.env.IDP_FILES;
    }
  });

  it('say how to get the demo configuration without a checkout if they need it', () => {
    const guides = readdirSync(join(repository, 'docs/guides')).map((name) => [
      name,
      readFileSync(join(repository, 'docs/guides', name), 'utf8').replaceAll(/\s+/g, ' '),
    ]);
    const against = guides.filter(([, text]) => text?.includes('the demo configuration'));
    expect(against.map(([name]) => name)).to.include.members(['saml.md', 'time.md', 'troubleshooting.md']);
    for (const [name, text] of against) {
      expect(text, name).to.include('`npx test-idp init ./idp && npx test-idp start --config-dir ./idp`');
    }
  });

  verifies('IMG-15', 'name what makes two names one issuer, and existing files, in the one for containers', () => {
    const page = readFileSync(join(repository, 'docs/guides/containers.md'), 'utf8');
    for (const place of ['Docker Compose', 'Kubernetes', 'GitHub Actions', 'GitLab']) {
      const [, section = ''] = page.split(`## ${place}\n`);
      expect(section.split('\n## ')[0], place).to.match(/browser/);
    }
    for (const key of ['oauth.issuer:', 'oauth.issuer_from_request', 'oauth.issuer_allowlist'])
      expect(page).to.include(key);
    for (const [, target = ''] of page.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      expect(existsSync(join(repository, 'docs/guides', target)), target).to.equal(true);
    }
  });

  it('begin with test code that runs, as does the README', async () => {
    const [, code = ''] = /```js\n(.*?)```/s.exec(readFileSync(join(repository, 'README.md'), 'utf8')) ?? [];
    expect(code.trim().split('\n')).to.have.length(5);
    const shown =
      'console.log([access_token, expired.access_token].map((token) => JSON.parse(atob(token.split(".")[1]))))';
    const out = await runWithPackage('readme', `${code}${shown}\n`);
    expect(out)
      .to.include("department: 'ops'")
      .and.to.match(/sub: 'alice'/);
  });

  it('start, declare users and log in without a browser in the one for test files', async () => {
    const examples = blocksOf('start-api.md').filter(({ language }) => language === 'js');
    const outputs = await Promise.all(examples.map(({ text }, index) => runWithPackage(`start-api-${index}`, text)));
    expect(outputs).to.have.length(3);
    const [first, declared, login] = outputs;
    expect(first).to.match(/^http:\/\/127\.0\.0\.1:\d+ true\n$/);
    expect(declared).to.match(/^\[ 'alice' \] http.*\/\.well-known\/openid-configuration true\n$/);
    expect(login).to.equal('string xyz\n');
  });

  it('start, discard, share and check in the one for continuous integration', async () => {
    const out = await follow('continuous-integration.md');
    expect(out).to.match(/"users_deleted": ?0, ?"clients_deleted": ?1/);
    expect(out.match(/true$/gm)).to.have.length(2);
    expect(out).to.match(/valid/);
  });
});

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // No process was left.
  }
}
