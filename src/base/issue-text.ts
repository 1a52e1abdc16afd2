/** The members of a schema validation issue that this file reads. */
type Issue = {
  readonly code?: string | undefined;
  readonly message: string;
  readonly input?: unknown;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
};

const NAMES: Readonly<Record<string, string>> = {
  array: 'an array',
  object: 'an object',
  record: 'an object',
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'a boolean',
  null: 'null',
};

const named = (type: string): string => NAMES[type] ?? type;

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const received = (value: unknown): string => (typeof value === 'boolean' ? String(value) : named(typeOf(value)));

/** Describes the expected value, in the schema's own words if it has any. Requires `reportInput`. */
export function issueText(issue: Issue): string {
  const own = issue.message.startsWith('Invalid ') ? undefined : issue.message;
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return `is required (${own ?? named(issue.expected ?? '')})`;
    return own ?? `must be ${named(issue.expected ?? '')}, not ${received(issue.input)}`;
  }
  if (issue.code === 'unrecognized_keys') return `has no member ${(issue.keys ?? []).map((key) => `"${key}"`).join(' or ')}`;
  if (own !== undefined) return own;
  if (issue.code === 'invalid_value') return `must be ${(issue.values ?? []).map(String).join(' or ')}`;
  return issue.message;
}

/** parameters.users[0].userName */
export function fieldName(root: string, path: readonly PropertyKey[]): string {
  let name = root;
  for (const part of path) name += typeof part === 'number' ? `[${part}]` : `${name === '' ? '' : '.'}${String(part)}`;
  return name;
}
