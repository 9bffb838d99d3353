// MCP tools for SAML service providers: the draft and what is saved of it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type StdioMcp, startMcp } from '#test/support/mcp-client.ts';
import { spMetadata } from '#test/support/saml/sp-metadata.ts';
import { verifies } from '#test/support/verifies.ts';

const one = 'https://one.example';
const described = 'https://sp.example';
const settings = `oauth:
  issuer: "http://127.0.0.1:8000"
saml:
  service_providers:
    # the first one
    - entity_id: ${one}
      title: \${TITLE:One} # from outside
      acs: https://one.example/acs
    - metadata_file: sp.xml
`;

describe('the MCP tools of service providers', () => {
  let mcp: StdioMcp;
  before(async () => {
    mcp = await startMcp({ settings: { oauth: { issuer: 'http://127.0.0.1:8000' } }, users: { users: {} } });
  });
  after(() => mcp.stop());
  beforeEach(async () => {
    writeFileSync(join(mcp.root, 'config', 'sp.xml'), spMetadata());
    mcp.write('settings.yaml', settings);
    await mcp.ok('reload_config');
  });

  verifies(
    'SPM-27',
    'list, read, create, change and delete entries of the copy, and save them with their comments',
    async () => {
      const listed = await mcp.ok('list_service_providers');
      expect(listed.count).to.equal(2);
      expect(listed.settings_revision).to.match(/^[0-9a-f]{64}$/);
      const { service_provider } = await mcp.ok('get_service_provider', { entity_id: described });
      expect(service_provider).to.include({ entity_id: described, metadata_file: 'sp.xml', title: null });
      expect(await mcp.ok('get_service_provider', { entity_id: 'nobody' })).to.include({ found: false });
      const two = 'https://two.example';
      const created = await mcp.ok('create_service_provider', {
        entity_id: two,
        acs: [{ url: `${two}/acs`, index: 4 }],
        encryption: { content: 'aes128-gcm' },
      });
      expect(created.service_provider).to.include({ entity_id: two });
      await mcp.ok('update_service_provider', { entity_id: one, sign: 'both' });
      await mcp.ok('delete_service_provider', { entity_id: described });
      expect(mcp.file('settings.yaml')).to.equal(settings);
      await mcp.ok('save_config', { expected_settings_revision: listed.settings_revision });
      const text = mcp.file('settings.yaml');
      expect(text).to.include('# the first one').and.include('${TITLE:One} # from outside');
      expect(parse(text).saml.service_providers).to.deep.equal([
        { entity_id: one, title: '${TITLE:One}', acs: 'https://one.example/acs', sign: 'both' },
        { entity_id: two, acs: [{ url: `${two}/acs`, index: 4 }], encryption: { content: 'aes128-gcm' } },
      ]);
      await mcp.ok('reload_config');
      expect((await mcp.ok('list_service_providers')).count).to.equal(2);
    },
  );

  verifies('SPM-27', 'reject what the model rejects, and what would not load', async () => {
    const failed = async (name: string, args: Readonly<Record<string, unknown>>) => {
      const { isError, result } = await mcp.call(name, args);
      expect([isError, result.success], JSON.stringify(args)).to.deep.equal([true, false]);
      return result.kind;
    };
    await failed('create_service_provider', { entity_id: one });
    await failed('update_service_provider', { entity_id: 'nobody', title: 'x' });
    await failed('delete_service_provider', { entity_id: 'nobody' });
    expect(await failed('create_service_provider', { entity_id: 'x', acs: [{ url: 'nowhere' }] })).to.equal('invalid');
    await mcp.ok('create_service_provider', { entity_id: 'x', encrypt: ['assertion'] });
    expect(await failed('save_config', {})).to.equal('unloadable');
    expect(mcp.file('settings.yaml')).to.equal(settings);
  });

  verifies('SPM-27', 'report mistakes in metadata, and the resulting entry', async () => {
    const good = await mcp.ok('check_service_provider_metadata', { metadata: spMetadata() });
    expect(good).to.deep.include({ valid: true, findings: [] });
    expect(good.entry).to.include({ entity_id: described });
    const bad = await mcp.ok('check_service_provider_metadata', { metadata: '<a>\n</b>' });
    expect(bad).to.include({ valid: false, entry: null });
    expect(bad.findings).to.have.length(1);
  });
});
