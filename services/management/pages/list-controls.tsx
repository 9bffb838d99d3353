// Search and paging of the lists, as plain links and a GET form: they work without script and can be bookmarked.
import type { Parameters } from '#shared/base/parameters.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { Icon } from '#shared/web/pages/components/icon.tsx';
import { OwnForm, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { countText } from './count-text.ts';

export const rowsPerPage = 50;

export interface ListView<Row> {
  readonly search: string;
  readonly page: number;
  readonly pages: number;
  readonly rows: readonly Row[];
  /** How many rows match the search, on all pages. */
  readonly matching: number;
}

/** The source of a list: names are cheap to get, rows are not. */
interface ListSource<Row> {
  /** The names of all rows, in their order. */
  readonly names: readonly string[];
  /** undefined: deleted after the names were read. */
  row(name: string): Promise<Row | undefined>;
  /** All rows, in batches. */
  each(): AsyncIterable<readonly Row[]>;
  /** The text of a row that a search matches. */
  text(row: Row): string;
}

/** The rows of one page that match `q`. Without a search no other rows are read. */
export async function listView<Row>(query: Parameters, source: ListSource<Row>): Promise<ListView<Row>> {
  const search = (query.value('q') ?? '').trim();
  if (search === '') {
    const matching = source.names.length;
    const view = placeIn(query, matching);
    const rows = await Promise.all(
      source.names.slice(view.from, view.from + rowsPerPage).map((name) => source.row(name)),
    );
    return { ...view, search, rows: rows.filter((row) => row !== undefined), matching };
  }
  const lowerCaseSearch = search.toLocaleLowerCase('en');
  const matching: Row[] = [];
  for await (const rows of source.each()) {
    matching.push(...rows.filter((row) => source.text(row).toLocaleLowerCase('en').includes(lowerCaseSearch)));
  }
  const view = placeIn(query, matching.length);
  const rows = matching.slice(view.from, view.from + rowsPerPage);
  return { ...view, search, rows, matching: matching.length };
}

/** The requested page of a list with that length, and the index of its first row. */
export function placeIn(
  query: Parameters,
  length: number,
): { readonly page: number; readonly pages: number; from: number } {
  const pages = Math.max(1, Math.ceil(length / rowsPerPage));
  const requestedPage = Number(query.value('page') ?? '1');
  const page = Number.isInteger(requestedPage) ? Math.min(Math.max(requestedPage, 1), pages) : 1;
  return { page, pages, from: (page - 1) * rowsPerPage };
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

interface PagesProps {
  readonly path: string;
  readonly view: ListView<unknown>;
  /** Further query parameters on the link to each page. */
  readonly further?: Readonly<Record<string, string>>;
}

export function Pages({ path, view, further = {} }: PagesProps) {
  if (view.pages === 1) return null;
  const address = (page: number) =>
    `${path}?${new URLSearchParams({ ...further, ...(view.search === '' ? {} : { q: view.search }), page: String(page) })}`;
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
