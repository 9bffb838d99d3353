// Search and paging of the lists, as plain links and a GET form: they work without script and can be bookmarked.
import type { Parameters } from '#shared/http/parameters.ts';
import { Button } from '#shared/pages/components/button.tsx';
import { Icon } from '#shared/pages/components/icon.tsx';
import { OwnForm, OwnLink } from '#shared/pages/components/own-link.tsx';
import { countText } from './counts.ts';

export const rowsPerPage = 50;

export interface ListView<Row> {
  readonly search: string;
  readonly page: number;
  readonly pages: number;
  readonly rows: readonly Row[];
  /** How many rows match the search, on all pages. */
  readonly matching: number;
  readonly total: number;
}

/** The rows of one page that match `q`; `text` is what a row is searched by. */
export function listView<Row>(query: Parameters, rows: readonly Row[], text: (row: Row) => string): ListView<Row> {
  const search = (query.value('q') ?? '').trim();
  const wanted = search.toLocaleLowerCase('en');
  const matching = wanted === '' ? rows : rows.filter((row) => text(row).toLocaleLowerCase('en').includes(wanted));
  const pages = Math.max(1, Math.ceil(matching.length / rowsPerPage));
  const asked = Number(query.value('page') ?? '1');
  const page = Number.isInteger(asked) ? Math.min(Math.max(asked, 1), pages) : 1;
  return {
    search,
    page,
    pages,
    rows: matching.slice((page - 1) * rowsPerPage, page * rowsPerPage),
    matching: matching.length,
    total: rows.length,
  };
}

export function SearchForm({ action, search, label }: { action: string; search: string; label: string }) {
  return (
    <search>
      <OwnForm class="search" method="get" action={action}>
        <label class="visually-hidden" for="q">
          {label}
        </label>
        <span class="search-field">
          <Icon name="search" />
          <input class="input" type="search" id="q" name="q" value={search} placeholder={label} autocomplete="off" />
        </span>
        <Button kind="secondary">Search</Button>
        {search !== '' && <OwnLink href={action}>Show all</OwnLink>}
      </OwnForm>
    </search>
  );
}

export function Pages({ path, view }: { readonly path: string; readonly view: ListView<unknown> }) {
  if (view.pages === 1) return null;
  const address = (page: number) =>
    `${path}?${new URLSearchParams({ ...(view.search === '' ? {} : { q: view.search }), page: String(page) })}`;
  const first = (view.page - 1) * rowsPerPage + 1;
  return (
    <nav class="pages" aria-label="Pages">
      {view.page > 1 ? <OwnLink href={address(view.page - 1)}>Previous</OwnLink> : <span class="soft">Previous</span>}
      <span class="soft">
        {countText(first)}–{countText(first + view.rows.length - 1)} of {countText(view.matching)}
      </span>
      {view.page < view.pages ? <OwnLink href={address(view.page + 1)}>Next</OwnLink> : <span class="soft">Next</span>}
    </nav>
  );
}
