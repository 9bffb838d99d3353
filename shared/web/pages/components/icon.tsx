// Line icons of the web UI, drawn on a grid of 20. They accompany words and never replace them.
export type IconName =
  | 'dashboard'
  | 'users'
  | 'clients'
  | 'service-providers'
  | 'keys'
  | 'claims'
  | 'audit'
  | 'clock'
  | 'test'
  | 'settings'
  | 'faults'
  | 'flows'
  | 'verdict'
  | 'sandboxes'
  | 'sessions'
  | 'search'
  | 'locked'
  | 'unlocked'
  | 'leave'
  | 'done';

const paths: Record<IconName, string> = {
  dashboard: 'M3.5 3.5h5v6h-5zM11.5 3.5h5v3.5h-5zM11.5 10h5v6.5h-5zM3.5 12.5h5v4h-5z',
  users: 'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 16.5a5 5 0 0 1 10 0M13 4a3 3 0 0 1 0 5.2M14.5 12a5 5 0 0 1 3 4.5',
  clients: 'M3 4.5h14v11H3zM3 7.75h14M5.25 6.1h.01M7.25 6.1h.01M7 13l1.75-1.6L7 9.8M10.5 13h2.5',
  'service-providers':
    'M5.5 12.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM14.5 7.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM14.5 17.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM7.5 8.9l5-2.8M7.5 11.1l5 2.8',
  keys: 'M7 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10.5 10h7M14.5 10v2.75M17 10v2',
  claims: 'M3.5 5h13M3.5 10h8M3.5 15h5M14 9.5v6.5M10.75 12.75h6.5',
  audit: 'M5 2.75h10v14.5l-2.5-1.5-2.5 1.5-2.5-1.5L5 17.25zM7.75 6.5h4.5M7.75 9.75h4.5',
  verdict: 'M10 2.75v14.5M6 17.25h8M4 5.5h12M4 5.5l-2 5.25h4zM16 5.5l-2 5.25h4z',
  flows: 'M4.5 3v14M15.5 3v14M4.5 7h9M11.5 5l2 2-2 2M15.5 13h-9M8.5 11l-2 2 2 2',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4.25L12.75 12',
  test: 'M8 3h4M8.75 3v5L4.2 15.2A1.2 1.2 0 0 0 5.25 17h9.5a1.2 1.2 0 0 0 1.05-1.8L11.25 8V3M6.5 12.5h7',
  settings:
    'M3 6h7M14 6h3M3 14h3M10 14h7M12 8.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM8 16.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5z',
  faults: 'M10 3l7.5 13.5h-15zM10 8v4.25M10 14.25h.01',
  sandboxes: 'M3 7.5l7-4 7 4-7 4zM3 7.5v5.5l7 4 7-4V7.5M10 11.5V17',
  sessions: 'M3 4h14v9.5H3zM7 16.75h6M10 13.5v3.25M10 8a1.4 1.4 0 1 0 0-.01M7.5 11.5a2.6 2.6 0 0 1 5 0',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4',
  locked: 'M4.5 9h11v8h-11zM7 9V6.5a3 3 0 0 1 6 0V9',
  unlocked: 'M4.5 9h11v8h-11zM7 9V6.5a3 3 0 0 1 5.7-1.3',
  done: 'M4.5 10.5 8.25 14.25 15.5 6.5',
  leave: 'M8 3.5H4v13h4M8.5 10H17M13.75 6.75 17 10l-3.25 3.25',
};

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
