// Continues when every frame of the page has loaded, or after five seconds (LGO-18). Without script the link does it.
const link = document.querySelector('a[data-go-on]');
if (link instanceof HTMLAnchorElement) {
  let isLeaving = false;
  const leave = () => {
    if (isLeaving) return;
    isLeaving = true;
    // The back button must not lead back to the frames.
    location.replace(link.href);
  };
  // The window's load event comes after those of its frames.
  if (document.readyState === 'complete') leave();
  else window.addEventListener('load', leave);
  setTimeout(leave, 5000);
}
