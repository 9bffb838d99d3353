// A list of names and values that describe one object.
import type { ComponentChildren } from 'preact';

interface FactsProps {
  readonly facts: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
  /** Further classes of the list. */
  readonly class?: string | undefined;
}

export function Facts({ facts, class: extra }: FactsProps) {
  return (
    <dl class={`facts${extra === undefined ? '' : ` ${extra}`}`}>
      {facts.map(([name, value], index) => (
        <div key={String(index)} class="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
