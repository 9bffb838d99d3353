// Writes every page in light, dark and phone width to screenshots/, to be looked at one by one:
//   npm run screenshots [part of a name …]
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { type Exhibit, exhibits, type Gallery, openGallery } from '#test/support/gallery.ts';
import { findTool } from '#test/support/tools.ts';

const folder = fileURLToPath(new URL('../../screenshots/', import.meta.url));
const views = [
  { name: 'light', colorScheme: 'light', width: 1280, height: 860 },
  { name: 'dark', colorScheme: 'dark', width: 1280, height: 860 },
  { name: 'phone', colorScheme: 'light', width: 360, height: 740 },
] as const;

const wanted = process.argv.slice(2);
const shown = exhibits.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
mkdirSync(folder, { recursive: true });
const gallery = await openGallery();
const executablePath = findTool('chromium');
if (executablePath === undefined) throw new Error('chromium is not on the PATH');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  let room: string | undefined;
  for (const exhibit of shown) {
    if (exhibit.room !== room) await gallery.enter(exhibit.room);
    room = exhibit.room;
    for (const view of views) await photograph(browser, gallery, exhibit, view);
    process.stdout.write(`${exhibit.name}\n`);
  }
} finally {
  await browser.close();
  await gallery.close();
}

async function photograph(
  from: Browser,
  { idp }: Gallery,
  exhibit: Exhibit,
  { name, colorScheme, width, height }: (typeof views)[number],
): Promise<void> {
  const javaScriptEnabled = exhibit.withoutScript !== true;
  const context = await from.newContext({ colorScheme, viewport: { width, height }, javaScriptEnabled });
  const page = await context.newPage();
  await exhibit.visit(page, idp);
  await page.screenshot({ path: `${folder}${exhibit.name}-${name}.png`, fullPage: true });
  await context.close();
}
