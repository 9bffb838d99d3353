// A table of similar objects. On a phone each row becomes a block whose cells carry their column's name.
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly heading: string;
  /** `main` names the row. `actions` holds its buttons. `body` is too long to be shown beside its name on a phone. */
  readonly role?: 'main' | 'actions' | 'body' | undefined;
  /** The width of a column with short content. The other columns share the rest. */
  readonly width?: 'narrow' | 'medium' | undefined;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The last column holds more than two short actions. */
  readonly wideActions?: boolean;
}

export function Table<Row>({ caption, columns, rows, rowKey, wideActions = false }: TableProps<Row>) {
  return (
    <table class={`table${wideActions ? ' table-wide-actions' : ''}`}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.heading} scope="col" class={column.width && `column-${column.width}`}>
              {column.role === 'actions' ? <span class="visually-hidden">{column.heading}</span> : column.heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map((column) => (
              <td
                key={column.heading}
                data-label={column.heading}
                class={column.role === undefined ? undefined : `cell-${column.role}`}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
