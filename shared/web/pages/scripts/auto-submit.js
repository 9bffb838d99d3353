// Posts the page's delivery form automatically (SAML responses, response_mode form_post). Without script its button
// does it.
const form = document.querySelector('form[data-auto-submit]');
if (form instanceof HTMLFormElement) form.submit();
