// Leads on when every frame of the page has loaded, or after five seconds (LGO-18). Without script the link does.
const link = document.querySelector('a[data-go-on]');
if (link instanceof HTMLAnchorElement) {
  let isLeaving = false;
  const leave = () => {
    if (isLeaving) return;
    isLeaving = true;
    // Nobody comes back to the frames with the button for the page before.
    location.replace(link.href);
  };
  // The window has loaded when its frames have.
  if (document.readyState === 'complete') leave();
  else window.addEventListener('load', leave);
  setTimeout(leave, 5000);
}
