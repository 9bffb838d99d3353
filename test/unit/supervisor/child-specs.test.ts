import { expect } from 'chai';
import { childSpecs } from '#supervisor/child-specs.ts';

describe('child specifications', () => {
  it('number several OIDC frontends, but not a single one', () => {
    expect(childSpecs(1).map(({ id }) => id)).to.deep.equal(['oidc', 'saml', 'mcp']);
    expect(childSpecs(3).map(({ id }) => id)).to.deep.equal(['oidc-1', 'oidc-2', 'oidc-3', 'saml', 'mcp']);
  });

  it('include the demo if requested, which ends before the front end that it uses', () => {
    const demo = childSpecs(1, { demo: true }).find(({ id }) => id === 'demo');
    expect(demo).to.deep.equal({ id: 'demo', worker: 'demo', starts: 'second', stops: 0 });
  });

  it('start SAML and MCP after the front end, and stop SAML last', () => {
    const specs = childSpecs(2);
    expect(specs.filter(({ starts }) => starts === 'second').map(({ id }) => id)).to.deep.equal(['saml', 'mcp']);
    const last = Math.max(...specs.map(({ stops }) => stops));
    expect(specs.filter(({ stops }) => stops === last).map(({ id }) => id)).to.deep.equal(['saml']);
  });
});
