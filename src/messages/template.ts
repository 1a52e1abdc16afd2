/** The names between `{{` and `}}`, as in the published documentation. */
const TEMPLATE_NAMES = ['OtpCode', 'CredentialBundle', 'MagicLink', 'AppName', 'LogoUrl'] as const;

export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** The values of one message. Names that it has no value for are empty. */
export type TemplateValues = { readonly [N in TemplateName]?: string | undefined } & {
  readonly variables?: Readonly<Record<string, string>> | undefined;
};

type Part = string | { name: TemplateName } | { variable: string };

/** A parsed template: fixed text, and places for values. */
export type Template = readonly Part[];

/** Why a text is no template. The message is a sentence for the template's author. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

const PLACE = /\{\{(.*?)\}\}/gs;
const NAME = /^\s*\.([A-Za-z]+)\s*$/;
const VARIABLE = /^\s*index\s+\.TemplateVariables\s+"([A-Za-z0-9_.-]{1,64})"\s*$/;

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

function partOf(inner: string, names: readonly TemplateName[], line: number): Part {
  const variable = VARIABLE.exec(inner)?.[1];
  if (variable !== undefined) return { variable };
  const name = NAME.exec(inner)?.[1];
  const known = names.find((one) => one === name);
  if (known !== undefined) return { name: known };
  const shown = JSON.stringify(`{{${inner.slice(0, 60)}}}`);
  const list = names.map((one) => `{{ .${one} }}`).join(', ');
  throw new TemplateError(`line ${line}: ${shown} is not known: use ${list}, or {{ index .TemplateVariables "key" }}`);
}

/** A tag that has not ended, with no open quote. */
const BARE = /<\/?[a-z](?:[^"'>]|"[^"]*"|'[^']*')*$/i;

/** An unquoted attribute's value would end at the first space of the inserted text, and another attribute could follow. */
function checkPlace(before: string, line: number): void {
  if (BARE.test(before)) throw new TemplateError(`line ${line}: put quotes around the value of the attribute`);
}

/** Throws TemplateError. `names`: those that may be used. */
export function parseTemplate(text: string, names: readonly TemplateName[] = TEMPLATE_NAMES): Template {
  const parts: Part[] = [];
  let from = 0;
  for (const found of text.matchAll(PLACE)) {
    const line = lineOf(text, found.index);
    // An SMS has no tags.
    if (names === TEMPLATE_NAMES) checkPlace(text.slice(0, found.index), line);
    parts.push(text.slice(from, found.index), partOf(found[1]!, names, line));
    from = found.index + found[0].length;
  }
  const rest = text.slice(from);
  const open = rest.indexOf('{{');
  if (open >= 0) throw new TemplateError(`line ${lineOf(text, from + open)}: "{{" has no "}}"`);
  return [...parts, rest];
}

/** The names that a template uses, without its variables. */
export const namesIn = (template: Template): TemplateName[] => [
  ...new Set(template.flatMap((part) => (typeof part === 'object' && 'name' in part ? [part.name] : []))),
];

/** `safe`: makes a value safe at its place. */
export function renderTemplate(template: Template, values: TemplateValues, safe: (value: string) => string): string {
  const { variables = {} } = values;
  const textAt = (part: Exclude<Part, string>): string => {
    if ('name' in part) return values[part.name] ?? '';
    return Object.hasOwn(variables, part.variable) ? variables[part.variable]! : '';
  };
  return template.map((part) => (typeof part === 'string' ? part : safe(textAt(part)))).join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For HTML's text, and for attributes in quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one]!);
