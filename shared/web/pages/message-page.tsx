// A page that only shows a message: rejections (PageError), pages not found, the end of a login or logout.
import type { ComponentChildren } from 'preact';
import { Card } from './components/card.tsx';
import { FlowLink } from './components/flow-link.tsx';
import { Icon } from './components/icon.tsx';
import { LoginFooter } from './components/login-footer.tsx';
import { type PageProps, renderPage } from './page.tsx';

export interface MessagePageProps {
  /** The text of the tab and the heading. */
  readonly title: string;
  readonly message: ComponentChildren;
  /** The status shown above the title of an error. undefined: no error. */
  readonly status?: number | undefined;
  /** The user's action succeeded. */
  readonly done?: boolean | undefined;
  readonly path: PageProps['path'];
  readonly scripts?: PageProps['scripts'];
  /** The id of a request in the recorder (`context.recording`): the page links to its flow. */
  readonly requestId?: string | undefined;
  /** Ways to continue. */
  readonly children?: ComponentChildren;
}

export function renderMessagePage(props: MessagePageProps): string {
  const { title, message, status, done = false, path, scripts, requestId, children } = props;
  return renderPage({
    title,
    path,
    scripts,
    width: 'narrow',
    bodyClass: 'login-ground',
    footer: <LoginFooter />,
    children: (
      <Card class="message">
        {status !== undefined && <p class="message-status">{status}</p>}
        {done && (
          <span class="message-mark">
            <Icon name="done" />
          </span>
        )}
        <h1>{title}</h1>
        <p class="message-text">{message}</p>
        {children}
        {requestId !== undefined && <FlowLink requestId={requestId} />}
      </Card>
    ),
  });
}
