// A second press on a login's button within three seconds sends nothing: the browser would show the answer to the second
// post, which finds a transaction, device code or TOTP step already used, although the first one succeeded. A page that
// the browser kept whole and shows again after its form was sent is asked for anew, for the same reason.
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
