// The request's context creates addresses of this server (`context.path`, OwnLink, OwnForm), so that a sandbox has its
// own. A literal address would lead out of the sandbox.
import { expect } from 'chai';
import { sourceFiles } from '#test/support/source-text.ts';

const sources = ['services', 'shared'].flatMap((folder) => sourceFiles(folder));

/**
 * Files whose plain links and forms lead elsewhere or are served by another server: to the client, to a standard, to a
 * place on the page.
 */
const leadElsewhere = [
  'services/demo/pages.tsx',
  'services/management/pages/audit/event-list.tsx',
  'services/management/pages/dashboard.tsx',
  'services/management/pages/flows/diagram.tsx',
  'services/management/pages/flows/findings.tsx',
  'services/management/pages/flows/issued-tokens.tsx',
  'services/management/pages/verdict.tsx',
  'services/oidc/authorize/refused-request.tsx',

  'shared/web/pages/logout/front-channel-page.tsx',
  'shared/web/pages/components/own-link.tsx',
  'shared/web/pages/delivery-page.tsx',
  'shared/web/pages/login-page.tsx',
  'shared/web/pages/page.tsx',
];

const strays = (text: string) => text.match(/<a\s[^>]*href=|<form\s[^>]*action=|redirect\(\s*['"`]\/[^)]*/g) ?? [];

describe('addresses of this server', () => {
  it('are created by the request’s context', () => {
    const found = sources
      .filter(({ path }) => !leadElsewhere.includes(path))
      .flatMap(({ path, text }) => strays(text).map((stray) => `${path}: ${stray}`));
    expect(found).to.deep.equal([]);
    expect(sources.length).to.be.greaterThan(200);
  });

  it('are detected if they are literal', () => {
    expect(strays("<a class=\"x\"\n href={x}> <form method='post' action='/x'> redirect(`/login`)")).to.have.length(3);
    expect(strays("redirect(context.path('/login')) <OwnLink href='/x'>")).to.deep.equal([]);
  });
});
