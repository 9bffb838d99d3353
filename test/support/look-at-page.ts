// Checks a page in a real browser: accessible by axe in both colour schemes, no horizontal scrolling at 360 px, all fields
// labelled, colour scheme followed, usable by keyboard with a visible focus, and stable with hostile, long and
// right-to-left names.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { withFreshPage } from './fresh-page.ts';
import { formKey, forms } from './gallery/forms.ts';
import type { Exhibit, Gallery } from './gallery/gallery.ts';
import { startOfPage } from './gallery/steps.ts';
import type { Visit } from './gallery/use-gallery.ts';
import { hostileName, longText } from './gallery/world.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

const views = [
  { colorScheme: 'light', width: 1280, height: 860 },
  { colorScheme: 'dark', width: 360, height: 740 },
] as const;
const wideScreen = { width: 1920, height: 1080 };
/** The width of a scroll bar and rounding. */
const asideMax = 24;
/** The Tab walk ends after so many stops. */
const stopsMax = 45;

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
}

/** What the page measures about itself. */
interface Looks {
  readonly ground: string;
  readonly overflow: number;
  readonly unlabelled: readonly string[];
  readonly headings: number;
  /** Links in list rows that are too small for a finger. One of them deletes. */
  readonly small: readonly string[];
  readonly disordered: readonly string[];
  /** Text that overflows its card. */
  readonly outside: readonly string[];
  readonly title: string;
}

interface Look {
  /** Problems in words. An empty list is a pass. */
  readonly problems: readonly string[];
  /** The address of the exhibit. */
  readonly address: string;
}

export async function lookAtPage({ browser, gallery }: Visit, exhibit: Exhibit): Promise<Look> {
  await gallery.enter(exhibit.room);
  const options = {
    // axe runs as an evaluated script, so the page's own policy stays active for its content.
    bypassCSP: false,
    javaScriptEnabled: exhibit.withoutScript !== true,
    // Colours in the middle of a transition are not final.
    reducedMotion: 'reduce',
    forcedColors: exhibit.only === 'forced-colors' ? 'active' : 'none',
  } as const;
  return withFreshPage(browser, options, (page) => look(page, exhibit, gallery));
}

async function look(page: Page, exhibit: Exhibit, gallery: Gallery): Promise<Look> {
  const problems: string[] = [];
  page.on('dialog', (dialog) => {
    problems.push(`says in a dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) problems.push(message.text());
  });
  await exhibit.visit(page, gallery.idp);
  const grounds = new Set<string>();
  for (const { colorScheme, width, height } of views) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    const looks = await inside(page);
    grounds.add(looks.ground);
    const found = [
      ...problemsOf(looks, width),
      ...(exhibit.withoutScript === true ? [] : await axe(page, exhibit.only === 'forced-colors')),
    ];
    problems.push(...found.map((problem) => `(${colorScheme}) ${problem}`));
  }
  // A client's own background is the same in both schemes, and forced colours have no schemes.
  if (grounds.size !== 2 && exhibit.keepsScheme !== true && exhibit.only !== 'forced-colors') {
    problems.push('looks the same in both schemes');
  }
  problems.push(...(await onWideScreen(page)));
  if (exhibit.withoutScript !== true) problems.push(...(await walk(page)));
  problems.push(...(await formsWithoutRow(page, gallery)));
  return { problems, address: page.url() };
}

function problemsOf(
  { overflow, headings, small, unlabelled, disordered, outside, title }: Looks,
  width: number,
): readonly string[] {
  return [
    ...(overflow > 0 ? [`scrolls ${overflow} px sideways at ${width} px`] : []),
    ...(headings === 1 ? [] : [`has ${headings} headings of the first level`]),
    ...small.map((link) => `is hard to hit on a phone: ${link}`),
    ...unlabelled.map((field) => `has no label for ${field}`),
    ...disordered.map((element) => `has a tab order of its own at ${element}`),
    ...outside.map((element) => `has text beyond its card at ${width} px: ${element}`),
    // The browser history must not reveal which user was viewed.
    ...([hostileName, longText.slice(0, 40), 'alice'].some((name) => title.includes(name))
      ? ['names in its title']
      : []),
  ];
}

/** Ignores forms that lead to another server. */
async function formsWithoutRow(page: Page, { idp }: Gallery): Promise<readonly string[]> {
  const sent = await page.evaluate(() =>
    [...document.querySelectorAll('form')].flatMap((form) => {
      const method = form.getAttribute('method') ?? 'get';
      const buttons = [...form.querySelectorAll('[formaction]')].map(
        (button) => button.getAttribute('formaction') ?? '',
      );
      return [form.getAttribute('action') ?? '', ...buttons].map((action) => ({
        method,
        address: new URL(action, document.baseURI).href,
      }));
    }),
  );
  const tried = new Set(forms.map(({ form }) => form));
  return sent
    .filter(({ address }) => new URL(address).origin === idp.baseUrl)
    .map(({ method, address }) => formKey(method, address))
    .filter((form) => !tried.has(form))
    .map((form) => `has a form that the gallery's forms do not know: ${form}`);
}

function inside(page: Page): Promise<Looks> {
  return page.evaluate(() => ({
    ground: getComputedStyle(document.body).backgroundColor,
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    headings: document.querySelectorAll('h1').length,
    small: [...document.querySelectorAll('.cell-actions a')].flatMap((link) =>
      window.innerWidth > 700 || link.getBoundingClientRect().height >= 32 ? [] : [link.outerHTML],
    ),
    unlabelled: [
      ...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden], [hidden]), select, textarea'),
    ].flatMap((field) => ((field.labels?.length ?? 0) > 0 ? [] : [field.outerHTML])),
    disordered: [...document.querySelectorAll<HTMLElement>('[tabindex]')].flatMap((element) =>
      element.tabIndex > 0 ? [element.outerHTML.slice(0, 200)] : [],
    ),
    // No named functions here: the test runner would wrap them in a helper that the page does not have.
    outside: [...document.querySelectorAll('.card')].flatMap((card) => {
      const edge = card.getBoundingClientRect().right;
      return [...card.querySelectorAll('*')].flatMap((element) => {
        const { right, width } = element.getBoundingClientRect();
        const isText = [...element.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE);
        if (!isText || width <= 1 || right <= edge + 1) return [];
        for (let around: Element | null = element; around !== null && around !== card; around = around.parentElement) {
          if (getComputedStyle(around).overflowX !== 'visible') return [];
        }
        return [element.outerHTML.slice(0, 160)];
      });
    }),
    title: document.title,
  }));
}

async function onWideScreen(page: Page): Promise<readonly string[]> {
  const before = page.viewportSize();
  await page.setViewportSize(wideScreen);
  const { aside, rewritten } = await page.evaluate(() => {
    const main = document.querySelector('main');
    // The middle of the space beside the column.
    const column = document.querySelector('.shell-side, .layout-horizontal .client-header');
    const beside = column?.getBoundingClientRect().right ?? 0;
    const box = main?.getBoundingClientRect();
    const { paddingLeft, paddingRight } = getComputedStyle(main ?? document.body);
    const left = (box?.left ?? 0) + Number.parseFloat(paddingLeft) - beside;
    const right = document.documentElement.clientWidth - (box?.right ?? 0) + Number.parseFloat(paddingRight);
    return {
      aside: Math.round(left - right),
      // `exp` and `redirect_uri` are names and must not be capitalized at the start of a sentence.
      rewritten: [...document.querySelectorAll('main *')].flatMap((element) =>
        getComputedStyle(element, '::first-letter').textTransform === 'none' ? [] : [element.outerHTML.slice(0, 160)],
      ),
    };
  });
  if (before !== null) await page.setViewportSize(before);
  return [
    ...(Math.abs(aside) > asideMax ? [`stands ${aside} px beside the middle at ${wideScreen.width} px`] : []),
    ...rewritten.map((element) => `writes its letters otherwise: ${element}`),
  ];
}

/** Forced colours come from the system, so the page is not responsible for their contrast. */
async function axe(page: Page, forcedColors: boolean): Promise<readonly string[]> {
  // Injected once per page, because the script is half a megabyte.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axeSource);
  const rules = { 'color-contrast': { enabled: !forcedColors }, 'target-size': { enabled: true } };
  const options = { resultTypes: ['violations'], rules };
  const report = await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`);
  return (report as { violations: Finding[] }).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`,
  );
}

/** Walks by Tab, starting with the skip link. Each stop must be marked, visible and not covered. */
async function walk(page: Page): Promise<readonly string[]> {
  await startOfPage(page);
  const problems: string[] = [];
  for (let stop = 0; stop < stopsMax; stop += 1) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body || element === document.documentElement) return undefined;
      const marked = [element, element.closest('.figure')].some((one) => {
        if (one === null) return false;
        const { boxShadow, outlineStyle } = getComputedStyle(one);
        return (
          boxShadow !== 'none' || (outlineStyle !== 'none' && window.matchMedia('(forced-colors: active)').matches)
        );
      });
      const box = element.getBoundingClientRect();
      const inSight = box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < window.innerHeight;
      // The first line of a wrapped link, because the middle of its box may be covered by neighbours.
      const line = element.getClientRects()[0] ?? box;
      // The top of a tall field, where typing starts. Its end may be behind the sticky buttons.
      const top = document.elementFromPoint(line.left + line.width / 2, line.top + Math.min(line.height / 2, 48));
      const covered = top !== null && !element.contains(top) && !top.contains(element);
      const skips = element.classList.contains('skip-link');
      return { name: element.outerHTML.slice(0, 160), marked, inSight, covered, skips };
    });
    if (found === undefined) break;
    if (stop === 0 && !found.skips) problems.push(`begins with ${found.name} instead of the skip link`);
    if (!found.marked) problems.push(`does not mark the focus at ${found.name}`);
    if (!found.inSight) problems.push(`has the focus out of sight at ${found.name}`);
    else if (found.covered) problems.push(`covers the focus at ${found.name}`);
  }
  return problems;
}
