// One field, one row. A field of a settings file or of an entry (a user, a client) is declared once, in its model: the zod
// type says form, bounds and default, and the notes registered with it say everything else: what it means, how forms and
// tools offer it, who may see it, how it is written. Every surface walks these rows (read-model.ts, projections/).
//
// To add a field: one line in the section or entry it belongs to, in the order in which the file shall have it:
//
//     max_age: wholeNumber(0, 86_400).default(0).register(fields, { description: 'Longest login, in seconds.' }),
//
// That alone gives it: reading and writing of YAML, the JSON Schema, docs/settings.md (`npm run docs`), a control on its
// web form, an argument of its MCP tools with type and bounds, the REST bodies and summaries. The notes below take
// something away (`secret`, `fileOnly`, `form: false`, `tool: false`, `api: false`) or say it better (`label`, `form`,
// `tool`, `example`). A mapping, or a list of them, has no control until its notes ask for one that takes JSON
// (`form.json`) or a page draws one (`form` and `known` of ModelSections). Whatever the protocols do with the value reads it from the snapshot, typed by the same model.
//
// To add a kind of entry: its model in a file like client-entry.ts, its row in entry-kinds.ts (name, key, file, rules over
// several fields), the sections of its form in form-sections.ts, a page that mounts ModelSections, and its tools, made by
// services/mcp/tools/entry-tools.ts. Rules over several fields stay functions beside the model (`checkClientEntry`).
import * as z from 'zod';

export interface FieldNotes {
  /** What it means, as a sentence; `code` in backquotes. JSON Schema, reference, and where nothing better is said: hint. */
  readonly description: string;
  /** What people read for it; else its name in words. */
  readonly label?: string;
  /** Its name where the sections of the file are not written: form field and tool argument. Else the last part of its path. */
  readonly name?: string;
  /** As JSON, where a description alone leaves the form open. */
  readonly example?: string;
  /** Never shown, only whether it is set; a form keeps it when its control stays blank. */
  readonly secret?: true;
  /** Changed in the file only: no form and no tool offers it, and GET /api/config shows it only with `api: true`. */
  readonly fileOnly?: true;
  /** A sandbox may have a value of its own (SBX-33). */
  readonly sandbox?: true;
  /** Each machine keeps its own where several share a store: nobody declares it for others (CLU-19). */
  readonly machine?: true;
  /** Takes effect at process start only (CFG-14). */
  readonly restart?: true;
  readonly deprecated?: true;
  /** Second spelling that is read as well, as a dotted path from the top of the file. */
  readonly alias?: string;
  /** The canonical key is misspelt: people are shown the alias. */
  readonly showsAlias?: true;
  /** For the JSON Schema alone: what a function checks here, as a regular expression. */
  readonly pattern?: string;
  /** What absence means where "not set" would not say it. */
  readonly whenAbsent?: string;
  /** `elsewhere`: a page of its own offers it; false: none does. */
  readonly form?: FormNotes | 'elsewhere' | false;
  readonly tool?: ToolNotes | false;
  /** In summaries of the REST API: as its value, as a flag that says whether there is one, or not at all. */
  readonly api?: boolean | { readonly asFlag: string };
  /** How a new or changed text is written: even at its default, or only while it differs from it. Left out: as its file does. */
  readonly yaml?: 'always' | 'unless-default';
}

export interface FormNotes {
  /** Id of a section of the form (form-sections.ts). */
  readonly section: string;
  /** A line of its own. */
  readonly wide?: true;
  /** Begins a new line of controls. */
  readonly newLine?: true;
  /** A list in one line, separated by commas, instead of one entry a line. */
  readonly commas?: true;
  /** A mapping, or a list of them, typed as JSON. */
  readonly json?: true;
  /** PEM texts, or paths of files with them, one below the other. */
  readonly pem?: true;
  /** A colour: seven characters, written as code. */
  readonly colour?: true;
  readonly email?: true;
  /** Words for people: a browser may check their spelling. */
  readonly prose?: true;
  /** Taken as typed, blanks at its ends too. */
  readonly verbatim?: true;
  /** Other words than the description. */
  readonly hint?: string;
  /** What a choice is called. */
  readonly choices?: Readonly<Record<string, string>>;
  /** What a blank control means; else the field is left out and its default counts. */
  readonly blank?: '' | null;
  /** Later than the fields before it in the model; fields of a section are sorted by it. */
  readonly rank?: number;
}

interface ToolNotes {
  /** Other words than the description. */
  readonly description?: string;
  /** null is a value of its own. */
  readonly nullable?: true;
  /** Kept as given although it may not load; save_config is what refuses it (MCP-36, MCP-44). */
  readonly unjudged?: true;
}

/** The notes of every field, by its model: `model.register(fields, { … })`. */
export const fields = z.registry<FieldNotes>();
