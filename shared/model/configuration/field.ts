// One field, one row. A field of a settings file or of an entry (a user, a client) is declared once, in its model. The
// zod type defines form, bounds and default. The notes registered with it define the rest: what it means, how forms and
// tools offer it, who may see it, how it is written. Every surface reads these rows (read-model.ts, projections/).
//
// To add a field, add one line to its section or entry, at its place in the file:
//
//     max_age: wholeNumber(0, 86_400).default(0).register(fields, { description: 'Longest login, in seconds.' }),
//
// That line alone adds: reading and writing of YAML, the JSON Schema, docs/settings.md (`npm run docs`), a control on
// its web form, an argument of its MCP tools with type and bounds, the REST bodies and summaries. The notes below
// remove something (`secret`, `fileOnly`, `form: false`, `tool: false`, `api: false`) or improve it (`label`, `form`,
// `tool`, `example`). A mapping, or a list of mappings, has no control by default. Its notes can request one that takes
// JSON (`form.json`), or a page renders one (`form` and `known` of ModelSections). Protocol code reads the value from
// the snapshot, with the type that the model gives it.
//
// To add a kind of entry: its model in a file like client-entry.ts, its row in entry-kinds.ts (name, key, file, rules
// over several fields), the sections of its form in form-sections.ts, a page that mounts ModelSections, and its tools,
// which services/mcp/tools/entry-tools.ts creates. Rules over several fields stay functions beside the model
// (`checkClientEntry`).
import * as z from 'zod';

export interface FieldNotes {
  /**
   * The meaning, as a sentence, with `code` in backquotes. Used in JSON Schema, in the reference, and as the default
   * hint.
   */
  readonly description: string;
  /** Its label for people. Default: its name in words. */
  readonly label?: string;
  /** The name of the form field and tool argument, which have no sections. Default: the last part of its path. */
  readonly name?: string;
  /** As JSON, where the description alone does not show the form. */
  readonly example?: string;
  /** Never shown, only whether it is set. A form keeps the value when its control stays blank. */
  readonly secret?: true;
  /** Only changed in the file: no form and no tool offers it, and GET /api/config shows it only with `api: true`. */
  readonly fileOnly?: true;
  /** A sandbox may have its own value (SBX-33). */
  readonly sandbox?: true;
  /** Each machine has its own value where several share a store. No machine declares it for another (CLU-19). */
  readonly machine?: true;
  /** Takes effect only at process start (CFG-14). */
  readonly restart?: true;
  readonly deprecated?: true;
  /** A second accepted spelling, as a dotted path from the top of the file. */
  readonly alias?: string;
  /** The canonical key is misspelt, so people are shown the alias. */
  readonly showsAlias?: true;
  /** Only for the JSON Schema: a regular expression for what a function checks here. */
  readonly pattern?: string;
  /** What absence means, where "not set" would not say it. */
  readonly whenAbsent?: string;
  /** `elsewhere`: a separate page offers it. false: no page does. */
  readonly form?: FormNotes | 'elsewhere' | false;
  readonly tool?: ToolNotes | false;
  /** In summaries of the REST API: its value, a flag that says whether it has one, or nothing. */
  readonly api?: boolean | { readonly asFlag: string };
  /**
   * When a new or changed text is written: even at its default, or only if it differs from it. Absent: as in its file.
   */
  readonly yaml?: 'always' | 'unless-default';
}

export interface FormNotes {
  /** Id of a section of the form (form-sections.ts). */
  readonly section: string;
  /** Takes a whole line. */
  readonly wide?: true;
  /** Starts a new line of controls. */
  readonly newLine?: true;
  /** A list in one line, separated by commas, instead of one entry per line. */
  readonly commas?: true;
  /** A mapping, or a list of mappings, typed as JSON. */
  readonly json?: true;
  /** PEM texts, or paths of PEM files, one below the other. */
  readonly pem?: true;
  /** A colour: seven characters, shown as code. */
  readonly colour?: true;
  readonly email?: true;
  /** Prose for people, so a browser may check the spelling. */
  readonly prose?: true;
  /** Used exactly as typed, including spaces at both ends. */
  readonly verbatim?: true;
  /** Replaces the description. */
  readonly hint?: string;
  /** Labels of the choices. */
  readonly choices?: Readonly<Record<string, string>>;
  /** What a blank control means. Absent: the field is left out and its default applies. */
  readonly blank?: '' | null;
  /** Sorts the fields of a section. A higher rank comes later than the model's order. */
  readonly rank?: number;
}

interface ToolNotes {
  /** Replaces the description. */
  readonly description?: string;
  /** null is a valid value. */
  readonly nullable?: true;
  /** Stored as given even if it may not load. save_config rejects it (MCP-36, MCP-44). */
  readonly unjudged?: true;
}

/** The notes of every field, by its model: `model.register(fields, { … })`. */
export const fields = z.registry<FieldNotes>();
