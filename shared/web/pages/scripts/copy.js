// The copy buttons: shown only where they work. They confirm a successful copy.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll('button')) {
    const source = document.getElementById(button.dataset.copy ?? '');
    if (source !== null) offerCopy(button, source);
  }
}

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} source
 */
function offerCopy(button, source) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(textOf(source));
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Press Ctrl+C';
      getSelection()?.selectAllChildren(source);
    }
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
}

/** @param {HTMLElement} source */
function textOf(source) {
  const isField = source instanceof HTMLInputElement || source instanceof HTMLTextAreaElement;
  return isField ? source.value : (source.textContent ?? '');
}
