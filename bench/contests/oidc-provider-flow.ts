// The code flow at oidc-provider with the interactions that it brings along for development: login, consent, code.
import { type Answer, headerOf, type Operation } from '../http-load.ts';
import { authorizationQuery, get, post, redeemed } from '../requests.ts';
import type { StartedProgram } from '../started-program.ts';

export function codeFlowOfOidcProvider(program: StartedProgram): Operation {
  const first = get(program, `/auth?${authorizationQuery()}`);
  return async (ask) => {
    const cookies = new Map<string, string>();
    const keep = (answer: Answer) => {
      for (const [, name = '', value = ''] of answer.head.matchAll(/\r\nset-cookie: *([^=]+)=([^;\r]*)/gi)) {
        cookies.set(name, value);
      }
      const location = headerOf(answer, 'location');
      if (location === undefined) throw new Error(`${answer.status}: ${answer.body.slice(0, 300)}`);
      return { answer, path: location.replace(program.baseUrl, '') };
    };
    const headers = () => ({ Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') });
    const postForm = async (path: string, fields: Readonly<Record<string, string>>) => {
      const page = await ask(get(program, path, headers()));
      if (page.status !== 200) throw new Error(`${page.status}: ${page.body.slice(0, 300)}`);
      const { path: resumed } = keep(await ask(post(program, path, fields, headers())));
      return keep(await ask(get(program, resumed, headers())));
    };
    const begun = keep(await ask(first));
    const loggedIn = await postForm(begun.path, { prompt: 'login', login: 'admin', password: 'admin' });
    const consented = await postForm(loggedIn.path, { prompt: 'consent' });
    return redeemed(program, consented.answer, ask);
  };
}
