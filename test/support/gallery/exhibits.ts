// All exhibits, grouped by settings, with those about presentation itself: focus, zoom, print, forced colours.
import { demoExhibits } from './demo-exhibits.ts';
import type { Exhibit } from './gallery.ts';
import { loginExhibits } from './login-exhibits.ts';
import { managementExhibits } from './management-exhibits.ts';
import { serviceProviderExhibits } from './service-provider-exhibits.ts';
import { singleLogoutExhibits } from './single-logout-exhibits.ts';
import { authorize, startOfPage, visit } from './steps.ts';
import { roomNames } from './world.ts';

/** The page with the focus after so many Tab steps. */
const focused = (name: string, path: string, steps: number, room: Exhibit['room'] = 'password') =>
  visit(name, room, async (page, { baseUrl }) => {
    await page.goto(baseUrl + path);
    await startOfPage(page);
    for (let pressed = 0; pressed < steps; pressed += 1) await page.keyboard.press('Tab');
  });

const looking: readonly Exhibit[] = [
  focused('focus-skip-link', '/', 1),
  focused('focus-navigation', '/', 4),
  focused('focus-figure', '/', 13),
  focused('focus-refused-field', '/login?error=password_required', 3),
  focused('focus-button', '/login', 4),
  focused('focus-quick-name', '/login', 5),
  focused('focus-table-link', '/users', 17),
  focused('focus-persona', '/login', 3, 'persona_4'),
  ...(['/', '/users', '/clients', '/settings', '/audit', '/test'] as const).map((path) =>
    visit(
      `zoomed${path === '/' ? '-dashboard' : path.replace('/', '-')}`,
      'password',
      (page, { baseUrl }) => page.goto(baseUrl + path),
      { only: 'zoomed' },
    ),
  ),
  visit('zoomed-authorize', 'password', (page, { baseUrl }) => page.goto(baseUrl + authorize('reporting')), {
    only: 'zoomed',
  }),
  visit(
    'print-audit',
    'password',
    async (page, { baseUrl }) => {
      await page.goto(`${baseUrl}/audit?search=failed&limit=6`);
      for (const event of await page.locator('summary').all()) await event.click();
    },
    { only: 'print' },
  ),
  visit('print-user', 'password', (page, { baseUrl }) => page.goto(`${baseUrl}/users/alice`), { only: 'print' }),
  visit('forced-colors-users', 'password', (page, { baseUrl }) => page.goto(`${baseUrl}/users`), {
    only: 'forced-colors',
  }),
  visit('forced-colors-login', 'password', (page, { baseUrl }) => page.goto(`${baseUrl}/login`), {
    only: 'forced-colors',
  }),
];

export const exhibits: readonly Exhibit[] = [
  ...loginExhibits,
  ...managementExhibits,
  ...serviceProviderExhibits,
  ...singleLogoutExhibits,
  ...demoExhibits,
  ...looking,
].sort((one, other) => roomNames.indexOf(one.room) - roomNames.indexOf(other.room));
