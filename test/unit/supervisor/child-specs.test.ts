import { expect } from 'chai';
import { childSpecs } from '#supervisor/child-specs.ts';

describe('child specifications', () => {
  it('number several OIDC frontends and name a single one plainly', () => {
    expect(childSpecs(1).map(({ id }) => id)).to.deep.equal(['oidc', 'saml', 'mcp']);
    expect(childSpecs(3).map(({ id }) => id)).to.deep.equal(['oidc-1', 'oidc-2', 'oidc-3', 'saml', 'mcp']);
  });

  it('have the demonstration where it is asked for, which ends before the door it speaks to', () => {
    const demo = childSpecs(1, { demo: true }).find(({ id }) => id === 'demo');
    expect(demo).to.deep.equal({ id: 'demo', worker: 'demo', starts: 'second', stops: 0 });
  });

  it('start SAML and MCP behind the door and stop SAML last', () => {
    const specs = childSpecs(2);
    expect(specs.filter(({ starts }) => starts === 'second').map(({ id }) => id)).to.deep.equal(['saml', 'mcp']);
    const last = Math.max(...specs.map(({ stops }) => stops));
    expect(specs.filter(({ stops }) => stops === last).map(({ id }) => id)).to.deep.equal(['saml']);
  });
});
