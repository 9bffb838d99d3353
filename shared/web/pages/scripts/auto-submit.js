// Posts the page's delivery form by itself (SAML answers, response_mode form_post). Without script its button does.
const form = document.querySelector('form[data-auto-submit]');
if (form instanceof HTMLFormElement) form.submit();
