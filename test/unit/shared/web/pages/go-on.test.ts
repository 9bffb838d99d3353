// The script of the page with the logout frames, in a browser of a few lines.
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { pageFile } from '#shared/web/pages/page-files.ts';
import { verifies } from '#test/support/verifies.ts';

class Anchor {
  readonly href = 'https://app.example/bye';
}

function runOn(link: Anchor | null, readyState: string) {
  const visited: string[] = [];
  const loaded: (() => void)[] = [];
  const timers: [() => void, number][] = [];
  runInNewContext(pageFile('scripts/go-on.js'), {
    HTMLAnchorElement: Anchor,
    document: { querySelector: () => link, readyState },
    window: { addEventListener: (name: string, listener: () => void) => name === 'load' && loaded.push(listener) },
    location: { replace: (href: string) => visited.push(href) },
    setTimeout: (listener: () => void, milliseconds: number) => timers.push([listener, milliseconds]),
  });
  return { went: visited, loaded, timers };
}

describe('the script that continues after a logout', () => {
  verifies('LGO-18', 'leaves once, when all frames have loaded or after five seconds', () => {
    const { went: visited, loaded, timers } = runOn(new Anchor(), 'interactive');
    expect([visited.length, loaded.length]).to.deep.equal([0, 1]);
    expect(timers.map(([, milliseconds]) => milliseconds)).to.deep.equal([5000]);
    timers[0]?.[0]();
    expect(visited).to.deep.equal(['https://app.example/bye']);
    loaded[0]?.();
    expect(visited).to.have.length(1);
    expect(runOn(new Anchor(), 'complete').went).to.deep.equal(['https://app.example/bye']);
  });

  it('does nothing without a link', () => {
    const { went: visited, timers } = runOn(null, 'complete');
    expect([visited, timers]).to.deep.equal([[], []]);
  });
});
