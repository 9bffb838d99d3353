// The page of a refusal or a fault, as the dispatcher of every frontend answers it.
import type { RenderErrorPage } from '#shared/web/pipeline/error-reply.ts';
import { OwnLink } from './components/own-link.tsx';
import { renderMessagePage } from './message-page.tsx';
import { page } from './page-reply.ts';

/** `home`: where people go on from there, at a frontend that has a page for them. */
export function errorPageRenderer(home?: { readonly href: string; readonly text: string }): RenderErrorPage {
  return (status, title, message, path, requestId) => {
    const children = home && <OwnLink href={home.href}>{home.text}</OwnLink>;
    return page(status, renderMessagePage({ title, message, status, path, children, requestId }));
  };
}
