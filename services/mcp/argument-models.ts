// Tool arguments from the models of configuration entries (MCP-18): type, enum, bounds, length and item type are taken
// over, defaults and transformations are not, because an absent argument means "as it is". Formats and rules over
// several fields stay with the handlers (MCP-19), so a model's own judgement of a text is left out here.
import * as z from 'zod';
import { clientEntryModel } from '#shared/configuration/model/client-entry.ts';
import { settingsModel } from '#shared/configuration/model/settings.ts';
import { userEntryModel } from '#shared/configuration/model/user-entry.ts';

/** What a field accepts when it is written in full: without default, null, shorthand and format. */
export function argumentModel(field: z.ZodType): z.ZodType {
  const { description } = describedBy(field);
  const model = bare(field);
  return description === undefined ? model : model.meta({ description });
}

/** The same with an example, where a description alone leaves the form open. */
export function argumentWithExample(field: z.ZodType, example: string): z.ZodType {
  const model = argumentModel(field);
  return model.meta({ description: `${model.meta()?.description ?? ''} Example: \`${example}\`.` });
}

/** The model of a setting, by its section and key; undefined section: a key of the top level. */
export function settingModel(section: string | undefined, key: string): z.ZodType {
  const shape: z.ZodRawShape = settingsModel.shape;
  const found = section === undefined ? shape[key] : membersOf(shape[section])[key];
  if (!(found instanceof z.ZodType)) throw new Error(`No such setting: ${section ?? ''}.${key}`);
  return found;
}

const user = userEntryModel.shape;
const client = clientEntryModel.shape;

export const usernameArgument = z
  .string('must be text')
  .min(1, 'must have at least 1 character')
  .meta({ description: 'The name the user logs in with, such as `alice`.' });

export const clientIdArgument = textArgument(client.client_id);

export const passwordArgument = textArgument(user.password).meta({
  description: 'What the user types to log in, such as `secret`.',
});

/** The user fields of the contract's table, each optional; `totp_secret` is for the file alone. */
export const userFieldArguments = {
  description: argumentModel(user.description).optional(),
  email: argumentModel(user.email)
    .meta({ description: 'The e-mail address, such as `alice@example.org`, or empty for none.' })
    .optional(),
  roles: argumentWithExample(user.roles, '["USER", "ADMIN"]').optional(),
  groups: argumentWithExample(user.groups, '["staff"]').optional(),
  entitlements: argumentWithExample(user.entitlements, '["REPORTS_READ"]').optional(),
  source_acl: argumentWithExample(user.source_acl, '["project-a:read"]').optional(),
  tenant: argumentModel(user.tenant).optional(),
  identity_class: argumentModel(user.identity_class)
    .nullable()
    .meta({ description: 'The class of identity, such as `INTERNAL`; null for none.' })
    .optional(),
  attributes: argumentModel(user.attributes)
    .meta({ description: 'Custom attributes, such as `{"department": "IT"}`; replaces all of them.' })
    .optional(),
} as const;

export const clientFieldArguments = {
  client_secret: argumentModel(client.client_secret)
    .meta({ description: 'The secret of a confidential client; empty means none.' })
    .optional(),
  token_endpoint_auth_method: argumentModel(client.token_endpoint_auth_method).optional(),
  description: argumentModel(client.description).optional(),
  background_color: colourArgument('Background of the login page'),
  header_color: colourArgument('Header of the login page'),
  footer_color: colourArgument('Footer of the login page'),
  show_client_id: argumentModel(client.show_client_id).optional(),
  show_description: argumentModel(client.show_description).optional(),
  layout: argumentModel(client.layout).optional(),
  redirect_uris: argumentWithExample(client.redirect_uris, '["http://localhost:3000/callback"]').optional(),
  post_logout_redirect_uris: argumentWithExample(
    client.post_logout_redirect_uris,
    '["http://localhost:3000/"]',
  ).optional(),
  additional_audiences: argumentWithExample(client.additional_audiences, '["my-api"]').optional(),
  allowed_scopes: argumentModel(client.allowed_scopes)
    .meta({ description: 'The scopes the client may have, as a list; empty lifts the restriction.' })
    .optional(),
  allowed_resources: argumentWithExample(client.allowed_resources, '["https://api.example.org"]').optional(),
  scope: argumentModel(client.scope)
    .meta({ description: 'The same restriction as allowed_scopes, separated by spaces, such as `openid profile`.' })
    .optional(),
} as const;

function textArgument(field: z.ZodType): z.ZodString {
  const model = argumentModel(field);
  if (!(model instanceof z.ZodString)) throw new Error('Not the model of a text.');
  return model;
}

function colourArgument(what: string) {
  return argumentModel(client.background_color)
    .meta({ description: `${what} as \`#rrggbb\`; empty clears it.` })
    .optional();
}

/** Unwraps what stands around a type, and takes a model's own judgement off a text. */
function bare(model: z.core.$ZodType): z.ZodType {
  if (
    model instanceof z.ZodOptional ||
    model instanceof z.ZodNullable ||
    model instanceof z.ZodDefault ||
    model instanceof z.ZodPrefault
  ) {
    return bare(model.unwrap());
  }
  if (model instanceof z.ZodPipe) return bare(model.in);
  if (model instanceof z.ZodUnion) return bare(preferredOption(model.options));
  if (model instanceof z.ZodArray) return z.array(bare(model.element), 'must be a list');
  if (model instanceof z.ZodString) return withoutJudgement(model);
  if (model instanceof z.ZodEnum) return withoutBlank(model);
  if (!(model instanceof z.ZodType)) throw new Error('Not a model that arguments can be taken from.');
  return model;
}

/** A list that may be written as one text is a list; a text with an empty alternative is a text. */
function preferredOption(options: readonly z.core.$ZodType[]): z.core.$ZodType {
  const option =
    options.find((each) => each instanceof z.ZodArray) ?? options.find((each) => bare(each) instanceof z.ZodString);
  if (option === undefined) throw new Error('Not a union that arguments can be taken from.');
  return option;
}

function withoutJudgement(model: z.ZodString): z.ZodString {
  const checks = (model.def.checks ?? []).filter((check) => check._zod.def.check !== 'custom');
  return z.string('must be text').check(...checks);
}

/**
 * A file may leave a choice blank for its default; an argument names it. Some model providers refuse every request beside
 * a tool that offers the empty text as a choice.
 */
function withoutBlank(model: z.ZodEnum): z.ZodType {
  const choices = model.options.map(String).filter((choice) => choice !== '');
  return z.enum(choices, `must be one of ${choices.join(', ')}`);
}

function membersOf(section: unknown): z.ZodRawShape {
  let model = section;
  for (;;) {
    if (model instanceof z.ZodObject) return model.shape;
    if (model instanceof z.ZodPipe) model = model.in;
    else if (model instanceof z.ZodPrefault || model instanceof z.ZodDefault || model instanceof z.ZodNullable) {
      model = model.unwrap();
    } else return {};
  }
}

/** The description stands on the outermost wrapper that has one. */
function describedBy(field: z.ZodType): { readonly description: string | undefined } {
  for (let model: unknown = field; model instanceof z.ZodType; ) {
    const description = model.meta()?.description;
    if (description !== undefined) return { description };
    model = 'innerType' in model.def ? model.def.innerType : undefined;
  }
  return { description: undefined };
}
