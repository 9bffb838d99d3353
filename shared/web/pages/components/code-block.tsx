// Preformatted text with a name and a copy button.
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** One long word, broken at the end of each line. */
  readonly token?: boolean;
}

export function CodeBlock({ id, title, text, token = false }: CodeBlockProps) {
  return (
    <figure class={`code-block${token ? ' code-block-token' : ''}`}>
      <figcaption class="code-block-head">
        <span>{title}</span>
        <CopyButton from={id} />
      </figcaption>
      <pre>
        <code id={id}>{text}</code>
      </pre>
    </figure>
  );
}
