// An explanation is found by the code of the rejection. No sentence is parsed.
import { expect } from 'chai';
import { explain } from '#services/management/pages/audit/explain.ts';
import type { AuditEventType } from '#shared/model/audit/audit-event.ts';
import { clientEntryModel, clientFromEntry } from '#shared/model/configuration/client-entry.ts';
import { refusalFamilies } from '#shared/model/refusals/index.ts';

const failed = (event_type: AuditEventType, details: Readonly<Record<string, unknown>> = {}) =>
  ({ event_type, status: 'failed', details }) as const;

describe('the explanation of a rejection', () => {
  it('exists for every code', () => {
    for (const { refusals } of refusalFamilies) {
      for (const { code, expected, standard } of refusals) {
        const explanation = explain(failed('token_request', { refusal: code, reason: 'x' }));
        expect(explanation, code).to.deep.equal({ expected, ...standard, registered: undefined });
      }
    }
  });

  it('is missing for successes, and for entries without a known code', () => {
    expect(explain({ event_type: 'login', status: 'success', details: {} })).to.equal(undefined);
    expect(explain(failed('login', { reason: 'wrong code' }))).to.equal(undefined);
    expect(explain(failed('login', { refusal: 'of_another_version' }))).to.equal(undefined);
  });

  it('covers the two kinds of entries that carry no code of the tables', () => {
    expect(explain(failed('client_metadata_document_refused'))?.expected).to.match(/^A valid metadata document/);
    expect(
      explain({ event_type: 'mcp_tool', status: 'error', details: { error: 'MCP_UNKNOWN_TOOL' } })?.expected,
    ).to.match(/^A tool/);
    expect(explain({ event_type: 'mcp_tool', status: 'error', details: { error: 'conflict' } })?.expected).to.match(
      /^A state/,
    );
  });

  it('shows what the client is registered with', () => {
    const client = clientFromEntry(
      clientEntryModel.parse({
        client_id: 'web',
        client_secret: 's',
        redirect_uris: ['https://web.example/cb'],
        scope: 'openid email',
        allowed_resources: ['https://api.example'],
      }),
    );
    const registered = (refusal: string) => explain(failed('token_request', { refusal }), client)?.registered;
    expect(registered('redirect_uri_not_registered')).to.deep.equal({
      label: 'Registered',
      values: ['https://web.example/cb'],
    });
    expect(registered('client_secret_wrong')).to.deep.equal({
      label: 'Registered method',
      values: ['client_secret_basic'],
    });
    expect(registered('scope_not_allowed_for_client')?.values).to.deep.equal(['openid', 'email']);
    expect(registered('resource_not_allowed_for_client')?.values).to.deep.equal(['https://api.example']);
    expect(registered('second_factor_wrong')).to.equal(undefined);
  });
});
