// Writes every exhibit of the gallery to screenshots/, in light, dark and phone width, for review:
//   npm run screenshots [part of a name …]
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findTool } from '#test/support/debian-programs.ts';
import { exhibits } from '#test/support/gallery/exhibits.ts';
import { type Exhibit, type Gallery, openGallery } from '#test/support/gallery/gallery.ts';

const folder = fileURLToPath(new URL('../../screenshots/', import.meta.url));
const desk = { width: 1280, height: 860 };
const views = [
  { name: 'light', colorScheme: 'light', ...desk },
  { name: 'dark', colorScheme: 'dark', ...desk },
  { name: 'phone', colorScheme: 'light', width: 360, height: 740 },
] as const;
/** Chromium makes no higher picture. */
const heightMax = 16_000;

const wanted = process.argv.slice(2);
const shown = exhibits.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
mkdirSync(folder, { recursive: true });
const gallery = await openGallery();
const executablePath = findTool('chromium');
if (executablePath === undefined) throw new Error('chromium is not on the PATH');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const exhibit of shown) {
    try {
      await gallery.enter(exhibit.room);
      await photograph(browser, gallery, exhibit);
      process.stdout.write(`${exhibit.name}\n`);
    } catch (error) {
      // An exhibit that cannot be reached must not prevent the others.
      process.stdout.write(`${exhibit.name}: ${String(error)}\n`);
      process.exitCode = 1;
    }
  }
} finally {
  await browser.close();
  await gallery.close();
}

async function photograph(from: Browser, { idp }: Gallery, exhibit: Exhibit): Promise<void> {
  const zoomed = exhibit.only === 'zoomed';
  const context = await from.newContext({
    viewport: zoomed ? { width: desk.width / 2, height: desk.height / 2 } : desk,
    deviceScaleFactor: zoomed ? 2 : 1,
    javaScriptEnabled: exhibit.withoutScript !== true,
    reducedMotion: 'reduce',
    forcedColors: exhibit.only === 'forced-colors' ? 'active' : 'none',
  });
  const page = await context.newPage();
  await exhibit.visit(page, idp);
  if (exhibit.only === 'print') await page.emulateMedia({ media: 'print' });
  if (exhibit.only !== undefined) {
    await page.screenshot({ path: `${folder}${exhibit.name}.png`, fullPage: true });
  } else {
    for (const { name, colorScheme, width, height } of views) {
      await page.emulateMedia({ colorScheme });
      await resizeWindow(page, width, height);
      await page.screenshot({ path: `${folder}${exhibit.name}-${name}.png` });
    }
  }
  await context.close();
}

/** The window is as high as its page, so that sticky elements are in their final place. */
async function resizeWindow(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  const needed = await page.evaluate(() => document.documentElement.scrollHeight);
  if (needed > height) await page.setViewportSize({ width, height: Math.min(needed, heightMax) });
}
