// A message about what just happened. Rejections are announced at once (`alert`), successes politely (`status`).
import type { ComponentChildren } from 'preact';

export interface NoticeProps {
  readonly kind: 'success' | 'refusal' | 'warning' | 'info';
  readonly title?: string | undefined;
  readonly children?: ComponentChildren;
}

export function Notice({ kind, title, children }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'refusal' ? 'alert' : 'status'}>
      {title !== undefined && <p class="notice-title">{title}</p>}
      {children !== undefined && <div class="notice-text">{children}</div>}
    </div>
  );
}
