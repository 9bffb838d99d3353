// The page of a rejection or an unexpected error, for every front end.
import type { RenderErrorPage } from '#shared/web/pipeline/error-reply.ts';
import { OwnLink } from './components/own-link.tsx';
import { renderMessagePage } from './message-page.tsx';
import { page } from './page-reply.ts';

/** `home`: the link to continue from there, for a front end that has a start page. */
export function errorPageRenderer(home?: { readonly href: string; readonly text: string }): RenderErrorPage {
  return (status, title, message, path, requestId) => {
    const children = home && <OwnLink href={home.href}>{home.text}</OwnLink>;
    return page(status, renderMessagePage({ title, message, status, path, children, requestId }));
  };
}
