// People to log in as, one badge each: choosing one posts its name (LOG-05). The first so many are shown as badges; when
// there are more, a field takes the name of any of them, so that ten thousand users make no endless page.
import { Button } from './button.tsx';
import { Field, Hidden } from './field.tsx';

export interface Persona {
  readonly username: string;
  readonly description: string;
  readonly roles?: readonly string[] | undefined;
}

export interface PersonaPickerProps {
  readonly people: readonly Persona[];
  readonly action: string;
  /** Hidden fields of the form. */
  readonly hidden?: readonly (readonly [name: string, value: string])[] | undefined;
  /** Comes first and is marked, such as the user of a login_hint. */
  readonly suggested?: string | undefined;
}

/** How many people are shown as badges. */
export const badgesMax = 60;
const hues = 8;

export function PersonaPicker({ people, action, hidden = [], suggested }: PersonaPickerProps) {
  return (
    <>
      <form method="post" action={action}>
        {hidden.map(([name, value]) => (
          <Hidden key={name} name={name} value={value} />
        ))}
        <PersonaBadges people={people} suggested={suggested} />
      </form>
      {people.length > badgesMax && (
        <form method="post" action={action} class="form">
          {hidden.map(([name, value]) => (
            <Hidden key={name} name={name} value={value} />
          ))}
          <Field
            name="username"
            id="other-username"
            label="Somebody else"
            hint={`${people.length - badgesMax} more people can log in here.`}
            required
            autoComplete="off"
            autoCapitalize="none"
          />
          <Button kind="secondary">Log in</Button>
        </form>
      )}
    </>
  );
}

/** The badges alone, for a form that has other fields too. */
export function PersonaBadges({ people, suggested }: Pick<PersonaPickerProps, 'people' | 'suggested'>) {
  const first = people.filter(({ username }) => username === suggested);
  const shown = [...first, ...people.filter(({ username }) => username !== suggested)].slice(0, badgesMax);
  return (
    <ul class="personas">
      {shown.map((persona) => (
        <li key={persona.username}>
          <PersonaBadge persona={persona} suggested={persona.username === suggested} />
        </li>
      ))}
    </ul>
  );
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

/** A portrait made of a name: its initials on a colour that belongs to the name. */
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
