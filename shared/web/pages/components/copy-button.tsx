// Copies the text of the element with the given id. Hidden until copy.js finds that the browser supports it.
export function CopyButton({ from }: { readonly from: string }) {
  return (
    <button type="button" class="button button-quiet button-small" data-copy={from} hidden aria-live="polite">
      Copy
    </button>
  );
}
