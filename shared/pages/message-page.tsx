// A page that only says something: refusals (PageError), pages not found, the end of a login or logout.
import type { ComponentChildren } from 'preact';
import { Card } from './components/card.tsx';
import { renderPage } from './page.tsx';

export interface MessagePageProps {
  /** Names tab and heading. */
  readonly title: string;
  readonly message: ComponentChildren;
  /** The status shown above the title of an error; undefined for good news. */
  readonly status?: number | undefined;
  /** `error` code and what else helps a developer, as names and values. */
  readonly details?: readonly (readonly [name: string, value: string])[] | undefined;
  readonly children?: ComponentChildren;
}

export function renderMessagePage({ title, message, status, details = [], children }: MessagePageProps): string {
  return renderPage({
    title,
    width: 'narrow',
    bodyClass: 'login-ground',
    children: (
      <Card class="message">
        {status !== undefined && <p class="message-status">{status}</p>}
        <h1>{title}</h1>
        <p class="message-text">{message}</p>
        {details.length > 0 && (
          <dl class="message-details">
            {details.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        )}
        {children}
      </Card>
    ),
  });
}
