// Short labels for an object: its origin, roles, states.
import type { ComponentChildren } from 'preact';

export interface TagProps {
  readonly children: ComponentChildren;
  readonly kind?: 'plain' | 'accent' | 'good' | 'bad' | 'warn' | undefined;
}

export function Tag({ children, kind = 'plain' }: TagProps) {
  return <span class={kind === 'plain' ? 'tag' : `tag tag-${kind}`}>{children}</span>;
}

export function Tags({ values, kind }: { readonly values: readonly string[]; readonly kind?: TagProps['kind'] }) {
  return (
    <span class="tags">
      {values.map((value) => (
        <Tag key={value} kind={kind}>
          <bdi>{value}</bdi>
        </Tag>
      ))}
    </span>
  );
}
