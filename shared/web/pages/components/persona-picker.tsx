// Users to log in as, one badge each: choosing one posts its name (LOG-05). The number of badges is limited, so that
// ten thousand users make no endless page. A search over all users works without script on every surface.
import { Button } from './button.tsx';
import { Field } from './field.tsx';

export interface Persona {
  readonly username: string;
  readonly description: string;
  readonly roles?: readonly string[] | undefined;
}

/** The users that are shown, out of all users. */
export interface SelectableUsers {
  readonly shown: readonly Persona[];
  /** The number of users that the search found. Without a search: all users. */
  readonly found: number;
  readonly all: number;
}

interface PersonaPickerProps {
  readonly people: SelectableUsers;
  /** The user that comes first and is marked, such as the user of a login_hint. */
  readonly suggested?: string | undefined;
  /** The search term. undefined: no search. */
  readonly search?: string | undefined;
}

/** The maximum number of badges. */
export const badgesMax = 200;
/** From this number of users on, the page has a search field. */
const searchedFrom = 13;
/** From this number of users on, the badges are side by side. */
const sideBySideFrom = 7;
const hues = 8;

export function isWidePicker({ all }: SelectableUsers): boolean {
  return all >= sideBySideFrom;
}

/**
 * The search and the badges, inside the form of the login. The field is `fill_username`, the button's name `username`.
 */
export function PersonaPicker({ people, suggested, search }: PersonaPickerProps) {
  const { shown, all } = people;
  const found = foundText(people.found, all, search);
  return (
    <>
      {all >= searchedFrom && <PersonaSearch search={search} />}
      {/* biome-ignore lint/a11y/useSemanticElements: a legend cannot take part in the form's spacing */}
      <div role="group" aria-label="Users" class="stack">
        {found !== undefined && (
          <p class="soft" role="status">
            {found}
          </p>
        )}
        {shown.length > 0 && (
          <ul class="personas">
            {shown.map((persona) => (
              <li key={persona.username}>
                <PersonaBadge persona={persona} suggested={persona.username === suggested} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

function PersonaSearch({ search }: Pick<PersonaPickerProps, 'search'>) {
  return (
    <div class="persona-search">
      <Field
        name="fill_username"
        type="search"
        label="Search users"
        value={search}
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        autoFocus
        enterKeyHint="search"
      />
      <Button kind="secondary">Search</Button>
      {search !== undefined && (
        <Button kind="quiet" name="show_all" value="1">
          Show all
        </Button>
      )}
    </div>
  );
}

export function isFoundBy({ username, description, roles = [] }: Persona, search: string): boolean {
  const lowerCaseSearch = search.toLocaleLowerCase('en');
  return [username, description, ...roles].some((text) => text.toLocaleLowerCase('en').includes(lowerCaseSearch));
}

/** How many users the badges show. Nothing when all users are visible. */
function foundText(found: number, all: number, search: string | undefined): string | undefined {
  if (search !== undefined && found === 0) return 'No user has this name, description or role.';
  const shown = Math.min(found, badgesMax);
  if (shown === all) return undefined;
  return search === undefined
    ? `${shown} of ${all} users. Search for the others.`
    : `${shown} of ${found} matches among ${all} users.`;
}

function PersonaBadge({ persona, suggested }: { readonly persona: Persona; readonly suggested: boolean }) {
  const { username, description, roles = [] } = persona;
  return (
    <button type="submit" name="username" value={username} class={`persona${suggested ? ' persona-suggested' : ''}`}>
      <Monogram name={username} />
      <span class="persona-text">
        <span class="persona-name">
          <bdi>{username}</bdi>
        </span>
        {suggested && <span class="persona-hint">Suggested</span>}
        {description !== '' && (
          <span class="persona-description">
            <bdi>{description}</bdi>
          </span>
        )}
        {roles.length > 0 && (
          <span class="persona-roles">
            <bdi>{roles.join(' · ')}</bdi>
          </span>
        )}
      </span>
    </button>
  );
}

/** A portrait made from a name: its initials on a colour derived from the name. */
export function Monogram({ name, small = false }: { readonly name: string; readonly small?: boolean }) {
  return (
    <span class={`monogram${small ? ' monogram-small' : ''} hue-${hueOf(name)}`} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const [first, second] = words;
  if (first === undefined) return '•';
  const [a = '', b = ''] = [...first];
  return `${a}${second === undefined ? b : ([...second][0] ?? '')}`.toLocaleUpperCase('en');
}

function hueOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % hues;
}
