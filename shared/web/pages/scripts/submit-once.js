// A second press on a login button within three seconds sends nothing. Otherwise the browser would show the response to
// the second post. That post finds a used transaction, device code or TOTP step, although the first one succeeded. For
// the same reason, a page that the browser restores from its cache after its form was sent is requested again.
let sent = false;
for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent !== undefined) {
      event.preventDefault();
      return;
    }
    sent = true;
    form.dataset.sent = '';
    setTimeout(() => {
      delete form.dataset.sent;
    }, 3000);
  });
}
addEventListener('pageshow', (event) => {
  for (const form of document.forms) delete form.dataset.sent;
  if (event.persisted && sent && location.search !== '') location.reload();
});
