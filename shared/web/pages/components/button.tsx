// Buttons, and links that look like buttons. One `primary` per form. `danger` leads to an action that cannot be undone,
// `final` performs it.
import type { ComponentChildren } from 'preact';
import { OwnLink } from './own-link.tsx';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly kind?: 'primary' | 'secondary' | 'danger' | 'final' | 'quiet' | undefined;
  /** Name and value of the pressed button in the posted form. */
  readonly name?: string | undefined;
  readonly value?: string | undefined;
  readonly wide?: boolean | undefined;
  /** For rows of a list. */
  readonly small?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly formNoValidate?: boolean | undefined;
  /** The label for screen readers when the visible text alone would be ambiguous in a list. */
  readonly label?: string | undefined;
}

export function Button({ children, kind = 'primary', wide, small, label, ...rest }: ButtonProps) {
  return (
    <button
      type="submit"
      class={`button button-${kind}${wide ? ' button-wide' : ''}${small ? ' button-small' : ''}`}
      aria-label={label}
      {...rest}
    >
      {children}
    </button>
  );
}

interface ButtonLinkProps {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly kind?: ButtonProps['kind'];
  readonly download?: boolean | undefined;
}

export function ButtonLink({ href, children, kind = 'secondary', download }: ButtonLinkProps) {
  return (
    <OwnLink class={`button button-${kind}`} href={href} download={download}>
      {children}
    </OwnLink>
  );
}
