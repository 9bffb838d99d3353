// The tools of one kind of entries of the copy: list, read, create, change, delete. Each kind's file passes in its
// special cases. Arguments, responses and rejections follow from the rows of its model. The entry's model validates
// formats and fields together, and a rejected entry changes nothing (MCP-19). No tool shows a secret.
import * as z from 'zod';
import type { Revision } from '#shared/model/configuration/configuration-snapshot.ts';
import type { EntryKind } from '#shared/model/configuration/entry-kinds.ts';
import { entryDetail } from '#shared/model/configuration/projections/api-summary.ts';
import { textArgument, toolArguments, toolOutput } from '#shared/model/configuration/projections/tool-argument.ts';
import { toolRefusals } from '#shared/model/refusals/families/mcp-tools.ts';
import { nextPage, nextPageOutput, pageArguments, pageOf, revisionOutput, successOutput } from '../common-models.ts';
import type { DraftConfiguration } from '../draft-configuration.ts';
import { defineTool, type Tool } from '../tool.ts';
import { type ToolFailure, toolFailure } from '../tool-failure.ts';

type Members = Readonly<Record<string, unknown>>;

export interface EntryFamily<Entry, Effective> {
  readonly kind: EntryKind<Entry, Effective>;
  /** How messages name an entry. */
  readonly called: string;
  /** The name of the file that holds the entries. */
  readonly revision: 'users' | 'settings';
  /** What a response contains and what it omits. */
  readonly answers: string;
  /** The arguments of its tools already describe its members. */
  readonly briefly?: true;
  all(draft: DraftConfiguration): ReadonlyMap<string, Effective>;
  entry(draft: DraftConfiguration, name: string): Entry | undefined;
  put(draft: DraftConfiguration, name: string, entry: Entry): Effective;
  delete(draft: DraftConfiguration, name: string): boolean;
}

interface ToolTexts {
  readonly title: string;
  readonly description: string;
}

interface Written<Entry> extends ToolTexts {
  readonly name: string;
  readonly arguments: Readonly<Record<string, z.ZodType>>;
  /** Turns the given fields and the previous entry (none on a create) into the members of the new entry. */
  prepare(given: Members, present: Entry | undefined): Members;
  /** The last step after the model has parsed the entry. */
  settle?(entry: Entry, given: Members): Entry;
}

export function listTool<Entry, Effective>(family: EntryFamily<Entry, Effective>, texts: ToolTexts): Tool {
  const { kind } = family;
  const plural = `${kind.noun}s`;
  return defineTool({
    ...texts,
    name: `list_${plural}`,
    arguments: pageArguments,
    output: {
      count: z.int().meta({ description: `Total number of ${plural}, including those not returned.` }),
      ...revisionMember(family),
      [plural]: z.array(shown(family)),
      ...nextPageOutput,
    },
    handle(page, { draft }) {
      const entries = [...family.all(draft).values()];
      return {
        count: entries.length,
        ...revisionOf(family, draft),
        [plural]: pageOf(entries, page).map((each) => entryDetail(kind, each)),
        ...nextPage(entries.length, page),
      };
    },
  });
}

export function getTool<Entry, Effective>(family: EntryFamily<Entry, Effective>, texts: ToolTexts): Tool {
  const { kind } = family;
  return defineTool({
    ...texts,
    name: `get_${kind.noun}`,
    arguments: keyArgument(kind),
    output: {
      found: z.boolean(),
      [kind.noun]: shown(family).optional(),
      [kind.key.name]: z.string().optional(),
      ...revisionMember(family),
    },
    handle(args, { draft }) {
      const name = nameIn(args, kind);
      const found = family.all(draft).get(name);
      return {
        found: found !== undefined,
        ...(found === undefined ? { [kind.key.name]: name } : { [kind.noun]: entryDetail(kind, found) }),
        ...revisionOf(family, draft),
      };
    },
  });
}

export function createTool<Entry, Effective>(family: EntryFamily<Entry, Effective>, written: Written<Entry>): Tool {
  const { kind, called } = family;
  return defineTool({
    ...changing(family, written),
    handle(args, { draft }) {
      const name = nameIn(args, kind);
      if (family.entry(draft, name) !== undefined) {
        throw toolFailure(toolRefusals.tool_entry_exists, { noun: kind.noun, called });
      }
      return save(family, written, draft, name, given(kind, args), undefined);
    },
  });
}

/** Fields that are not given stay unchanged. */
export function updateTool<Entry, Effective>(family: EntryFamily<Entry, Effective>, written: Written<Entry>): Tool {
  const { kind } = family;
  return defineTool({
    ...changing(family, written),
    idempotent: true,
    destructive: true,
    handle(args, { draft }) {
      const name = nameIn(args, kind);
      const present = family.entry(draft, name);
      if (present === undefined) throw unknownEntry(family);
      return save(family, written, draft, name, given(kind, args), present);
    },
  });
}

export function deleteTool<Entry, Effective>(family: EntryFamily<Entry, Effective>, texts: ToolTexts): Tool {
  const { kind } = family;
  return defineTool({
    ...texts,
    name: `delete_${kind.noun}`,
    mutating: true,
    destructive: true,
    arguments: keyArgument(kind),
    output: { ...successOutput, deleted: z.string().optional() },
    handle(args, { draft }) {
      const name = nameIn(args, kind);
      if (!family.delete(draft, name)) throw unknownEntry(family);
      return { success: true, deleted: name };
    },
  });
}

/** The arguments of all fields that tools offer, each optional. */
export function fieldArguments<Entry, Effective>({ fields }: EntryKind<Entry, Effective>) {
  return toolArguments(fields);
}

export function unknownEntry<Entry, Effective>({ kind, called }: EntryFamily<Entry, Effective>): ToolFailure {
  return toolFailure(toolRefusals.tool_entry_unknown, { noun: kind.noun, called });
}

function save<Entry, Effective>(
  family: EntryFamily<Entry, Effective>,
  { prepare, settle }: Written<Entry>,
  draft: DraftConfiguration,
  name: string,
  members: Members,
  present: Entry | undefined,
) {
  const { kind } = family;
  const prepared = prepare(members, present);
  const reading = kind.read(kind.keyInEntry ? { ...prepared, [kind.key.name]: name } : prepared);
  if (reading.outcome === 'refused') {
    throw toolFailure(toolRefusals.tool_entry_invalid, { problem: reading.message });
  }
  const entry = settle === undefined ? reading.entry : settle(reading.entry, members);
  return { success: true, [kind.noun]: entryDetail(kind, family.put(draft, name, entry)) };
}

/** Only the reading tools describe the entry in full, because every schema costs context. */
function changing<Entry, Effective>({ kind }: EntryFamily<Entry, Effective>, written: Written<Entry>) {
  const changed = z
    .looseObject({ [kind.key.name]: z.string() })
    .meta({ description: `The ${kind.noun}, as in get_${kind.noun}.` });
  return {
    name: written.name,
    title: written.title,
    description: written.description,
    mutating: true,
    arguments: { ...keyArgument(kind), ...written.arguments },
    output: { ...successOutput, [kind.noun]: changed.optional() },
  };
}

function shown<Entry, Effective>({ kind, answers, briefly }: EntryFamily<Entry, Effective>): z.ZodType {
  const model = briefly === true ? z.looseObject({ [kind.key.name]: z.string() }) : toolOutput(kind);
  return model.meta({ description: answers });
}

function revisionMember<Entry, Effective>({ kind, revision }: EntryFamily<Entry, Effective>) {
  return { [`${revision}_revision`]: revisionOutput(kind.file) };
}

function revisionOf<Entry, Effective>(
  { revision }: EntryFamily<Entry, Effective>,
  draft: DraftConfiguration,
): Readonly<Record<string, Revision>> {
  return { [`${revision}_revision`]: draft.revisions[revision] };
}

function keyArgument<Entry, Effective>({ key }: EntryKind<Entry, Effective>): Readonly<Record<string, z.ZodType>> {
  return { [key.name]: textArgument(key) };
}

function nameIn<Entry, Effective>(args: Members, { key }: EntryKind<Entry, Effective>): string {
  return String(args[key.name]);
}

/** An absent argument means "unchanged". */
function given<Entry, Effective>({ key }: EntryKind<Entry, Effective>, args: Members): Members {
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => name !== key.name && value !== undefined));
}
