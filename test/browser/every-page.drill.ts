// Every exhibit of the gallery, looked at as a whole.
import { expect } from 'chai';
import { addressed } from '#shared/engine/exchange/addressed-route.ts';
import { exhibits } from '#test/support/gallery/exhibits.ts';
import { useGallery } from '#test/support/gallery/use-gallery.ts';
import { lookAtPage } from '#test/support/look-at-page.ts';
import { routeOf, routes } from '#test/support/route-of.ts';
import { verifies } from '#test/support/verifies.ts';

/** Downloads, data and ways to another page. */
const answersNoPage = new Set([
  '/audit/export/csv',
  '/audit/export/json',
  '/claims/preview/:username',
  '/client-logos/:client_id',
  '/end_session',
  '/keys/download/certificate',
  '/keys/download/public_key',
  '/ui/logout',
]);
const served = (path: string) => routes.some((route) => route.path === path);
const pagesServed = routes
  .map(addressed)
  .filter(
    ({ path, surface, isIndependent: standsAlone }) => (surface === 'page' && !standsAlone) || path === '/authorize',
  )
  .filter(({ path, methods }) => methods.GET !== undefined && !answersNoPage.has(path))
  .map(({ path }) => path);

describe('every page in a browser: accessible, in both colour schemes, at 360 px and by keyboard', () => {
  const visit = useGallery();

  // Paper has no fields, schemes or focus.
  const looked = exhibits.filter(({ only }) => only !== 'print');
  const shown = new Map<string, string | undefined>();
  for (const exhibit of looked) {
    verifies('WEB-30', exhibit.name, async () => {
      const { problems, address } = await lookAtPage(visit(), exhibit);
      shown.set(exhibit.name, routeOf(new URL(address).pathname));
      expect(problems).to.deep.equal([]);
    });
  }

  it('shows every page that the program serves', function () {
    if (shown.size < looked.length) {
      process.stderr.write('skipped: only all exhibits together show every page, and some were not reached\n');
      return this.skip();
    }
    const seen = new Set(shown.values());
    expect(pagesServed.filter((path) => !seen.has(path))).to.deep.equal([]);
    expect([...answersNoPage].filter((path) => seen.has(path) || !served(path))).to.deep.equal([]);
  });
});
