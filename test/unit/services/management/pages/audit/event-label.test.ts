import { expect } from 'chai';
import { eventLabel } from '#services/management/pages/audit/event-label.ts';
import { auditEventTypes } from '#shared/model/audit/audit-event.ts';

describe('names of audit events', () => {
  it('begin with a capital letter and write abbreviations as the standards do', () => {
    expect(eventLabel('saml_request')).to.equal('SAML request');
    expect(eventLabel('saml_attribute_query')).to.equal('SAML attribute query');
    expect(eventLabel('mcp_tool')).to.equal('MCP tool');
    expect(eventLabel('userinfo_request')).to.equal('UserInfo request');
    expect(eventLabel('device_authorization_request')).to.equal('Device authorization request');
  });

  it('are different for different events', () => {
    expect(new Set(auditEventTypes.map(eventLabel)).size).to.equal(auditEventTypes.length);
  });
});
