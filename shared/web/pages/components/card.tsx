// A card with an optional heading. Logins use one, the web UI several.
import type { ComponentChildren } from 'preact';

interface CardProps {
  readonly title?: ComponentChildren;
  /** 1 on pages that are one card (logins), else 2. */
  readonly level?: 1 | 2 | undefined;
  /** Text under the heading, in a quieter style. */
  readonly lead?: ComponentChildren;
  /** Elements at the end of the heading's line. */
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly class?: string | undefined;
}

export function Card({ title, level = 2, lead, actions, children, class: extra }: CardProps) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <section class={`card${extra === undefined ? '' : ` ${extra}`}`}>
      {title !== undefined && (
        <header class="card-header">
          <div>
            <Heading class="card-title">{title}</Heading>
            {lead !== undefined && <p class="card-lead">{lead}</p>}
          </div>
          {actions !== undefined && <div class="card-actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
