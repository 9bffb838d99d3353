// The quick-login buttons of password pages: put a name into the username field and focus the password (LOG-09).
for (const button of document.querySelectorAll('button')) {
  const field = document.getElementById(button.dataset.fillIn ?? '');
  if (field instanceof HTMLInputElement) fillIn(button, field);
}

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLInputElement} field
 */
function fillIn(button, field) {
  button.hidden = false;
  button.addEventListener('click', (event) => {
    event.preventDefault();
    field.value = button.dataset.value ?? '';
    const password = document.querySelector('input[type="password"]');
    (password instanceof HTMLInputElement ? password : field).focus();
  });
}
