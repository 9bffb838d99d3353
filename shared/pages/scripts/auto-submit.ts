// Posts the page's delivery form by itself (SAML answers, response_mode form_post). Without script its button does.
export const autoSubmitScript = `document.querySelector('form[data-auto-submit]')?.submit();
`;
