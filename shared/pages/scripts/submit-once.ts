// A second press on a login's button within three seconds sends nothing: the browser would show the answer to the second
// post, which finds a transaction, device code or TOTP step already used, although the first one succeeded.
export const submitOnceScript = `for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent !== undefined) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = '';
    setTimeout(() => { delete form.dataset.sent; }, 3000);
  });
}
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});
`;
