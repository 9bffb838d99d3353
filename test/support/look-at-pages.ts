// What a page in a real browser looks like: accessible by axe in both colour schemes, without sideways scrolling at 360 px,
// with all fields labelled, following the colour scheme, and with hostile, endless and right-to-left names on it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import type { Exhibit, Gallery } from './gallery.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
}

/** What the page looks like from inside. */
interface Looks {
  readonly ground: string;
  readonly overflow: number;
  readonly unlabelled: readonly string[];
  readonly headings: number;
  readonly dialogs: number;
}

/** The problems of the exhibits, in words; none is the good answer. Exhibits come room by room, as the gallery has them. */
export async function lookAtPages(
  browser: Browser,
  gallery: Gallery,
  exhibits: readonly Exhibit[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  let room: string | undefined;
  for (const exhibit of exhibits) {
    if (exhibit.room !== room) await gallery.enter(exhibit.room);
    room = exhibit.room;
    const grounds = new Set<string>();
    for (const view of [
      { colorScheme: 'light', width: 1280 },
      { colorScheme: 'dark', width: 360 },
    ] as const) {
      const looked = await look(browser, gallery, exhibit, view);
      problems.push(...looked.problems.map((problem) => `${exhibit.name} (${view.colorScheme}): ${problem}`));
      grounds.add(looked.ground);
    }
    // A client's own background is the same by day and by night.
    if (grounds.size !== 2 && !exhibit.name.startsWith('authorize') && exhibit.name !== 'login-code') {
      problems.push(`${exhibit.name} looks the same in both schemes`);
    }
  }
  return problems;
}

async function look(
  browser: Browser,
  gallery: Gallery,
  exhibit: Exhibit,
  { colorScheme, width }: { colorScheme: 'light' | 'dark'; width: number },
): Promise<{ problems: string[]; ground: string }> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: 760 },
    // axe runs as an evaluated script: the page's own policy stays in force for everything the page brings.
    bypassCSP: false,
    javaScriptEnabled: exhibit.withoutScript !== true,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('dialog', (dialog) => {
    problems.push(`a dialog said ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) problems.push(message.text());
  });
  try {
    await exhibit.visit(page, gallery.idp);
    if (exhibit.withoutScript === true) return { problems, ground: colorScheme };
    const looks = await inside(page);
    if (looks.overflow > 0) problems.push(`scrolls ${looks.overflow} px sideways at ${width} px`);
    if (looks.headings !== 1) problems.push(`has ${looks.headings} headings of the first level`);
    for (const field of looks.unlabelled) problems.push(`no label for ${field}`);
    for (const { id, nodes } of await axe(page)) {
      problems.push(`${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`);
    }
    return { problems, ground: looks.ground };
  } finally {
    await context.close();
  }
}

function inside(page: Page): Promise<Looks> {
  return page.evaluate(() => ({
    ground: getComputedStyle(document.body).backgroundColor,
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    headings: document.querySelectorAll('h1').length,
    unlabelled: [...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden]), select, textarea')].flatMap(
      (field) => ((field.labels?.length ?? 0) > 0 ? [] : [field.outerHTML]),
    ),
    dialogs: 0,
  }));
}

async function axe(page: Page): Promise<readonly Finding[]> {
  await page.evaluate(axeSource);
  const report = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  return (report as { violations: Finding[] }).violations;
}
