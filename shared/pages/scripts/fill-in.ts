// Quick-login buttons of password pages: put a name into the username field and move on to the password (LOG-09).
export const fillInScript = `for (const button of document.querySelectorAll('button[data-fill-in]')) {
  button.hidden = false;
  button.addEventListener('click', (event) => {
    const field = document.getElementById(button.dataset.fillIn);
    if (!field) return;
    event.preventDefault();
    field.value = button.dataset.value;
    (document.querySelector('input[type="password"]') ?? field).focus();
  });
}
`;
