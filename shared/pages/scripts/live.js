// Keeps a part of a page up to date while its switch is on: asks for the same page again and puts its part in, as long as
// the tab is seen. What the person opened stays open.
const everyMilliseconds = 2000;

for (const holder of document.querySelectorAll('[data-live]')) {
  const part = document.getElementById(holder.getAttribute('data-live') ?? '');
  const button = holder.querySelector('button');
  if (part !== null && button !== null) offerLive(holder, button, part);
}

/**
 * @param {Element} holder
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} part
 */
function offerLive(holder, button, part) {
  /** @type {number | undefined} */
  let timer;
  holder.removeAttribute('hidden');
  button.addEventListener('click', () => {
    const on = timer === undefined;
    button.setAttribute('aria-pressed', String(on));
    if (!on) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    timer = setInterval(() => {
      if (!document.hidden) refresh(part).catch(() => undefined);
    }, everyMilliseconds);
    refresh(part).catch(() => undefined);
  });
}

/** @param {HTMLElement} part */
async function refresh(part) {
  const answer = await fetch(location.href, { redirect: 'error' });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(part.id);
  if (fresh === null) return;
  const opened = new Set([...part.querySelectorAll('details[open]')].map(({ id }) => id));
  for (const details of fresh.querySelectorAll('details')) details.open = opened.has(details.id);
  const focused = document.activeElement?.closest('details')?.id;
  part.replaceChildren(...fresh.children);
  if (focused !== undefined) document.getElementById(focused)?.querySelector('summary')?.focus();
}
