import type { Description, TextShape } from '../../src/policy/index.ts';

/** Section 9 of docs/policy-language.md: what `activity.params` has, as the activities declare it. */
export function parameterTables({ structs, parameters, texts }: Description): string {
  const fields = Object.entries(structs.Parameters ?? {}).map(
    ([name, type]) => `| \`${name}\` | \`${type}\` |${meaning(texts.Parameters?.[name], type.startsWith('list'))} |`,
  );
  const types = Object.entries(parameters).map(
    ([type, names]) => `| \`${type}\` | ${names.map((name) => `\`${name}\``).join(', ')} |`,
  );
  return [
    '#### Parameters\n',
    '| Field | Type | Meaning |\n|---|---|---|',
    ...fields,
    '\n| Activity type | Parameters |\n|---|---|',
    ...types,
  ].join('\n');
}

/** A longer list is in the OpenAPI document. */
const MOST_VALUES = 20;

function meaning(shape: TextShape | undefined, list: boolean): string {
  if (shape === undefined) return '';
  const each = list ? ' each' : '';
  if (shape.values === undefined) return `${each} ${shape.is}`;
  const values = shape.values.map((value) => `\`${value}\``);
  return values.length > MOST_VALUES
    ? `${each} one of ${values.length} values, such as ${values[0]}`
    : `${each} one of ${values.join(', ')}`;
}

/** The document with other text between the markers of `name`. */
export function between(document: string, name: string, text: string): string {
  const start = `<!-- npm run generate: ${name} -->\n`;
  const end = '<!-- end -->\n';
  const from = document.indexOf(start);
  const to = document.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the document has no place for ${name}: ${start.trim()} and ${end.trim()}`);
  return `${document.slice(0, from)}${start}\n${text}\n\n${document.slice(to)}`;
}
