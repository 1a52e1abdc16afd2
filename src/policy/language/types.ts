/** A text type with its own equality, such as the addresses of a chain. Supplied by the module that declares fields of it. */
export type OwnForm = {
  /** The type's name in documents and messages. */
  readonly name: string;
  /** Two texts with the same key are equal. Undefined: the text is not of this type, and compares as a string. Never throws. */
  readonly key: (text: string) => string | undefined;
  /** Longer texts have no key. */
  readonly longest: number;
  /** The cost of comparing two of them, beyond that of comparing strings. */
  readonly steps: number;
};

/**
 * The equality of strings. `hex`: addresses and byte strings, ignoring case if all letters are ASCII. `caseless`: any text, ignoring
 * the case of its ASCII letters.
 */
export type TextForm = 'plain' | 'hex' | 'caseless' | OwnForm;

/** The types that the checker works with and that environments are described in. */
export type Type =
  | { readonly kind: 'bool' | 'int' | 'uint' | 'timestamp' | 'dynamic' }
  | { readonly kind: 'string'; readonly form: TextForm }
  | { readonly kind: 'list'; readonly of: Type }
  /** String keys. */
  | { readonly kind: 'map'; readonly of: Type }
  | StructType;

export type StructType = {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: Readonly<Record<string, Type>>;
  /** The type of each further field, whatever its name is. Expressions name the fields that they read (`controls`). */
  readonly open?: Type;
  /** Alias of a field → its name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Set if the available fields depend on another value: `root`'s `field` is the key into `fieldsOf`. */
  readonly tag?: {
    readonly root: string;
    readonly field: string;
    readonly fieldsOf: Readonly<Record<string, readonly string[]>>;
  };
};

export const BOOL: Type = { kind: 'bool' };
export const INT: Type = { kind: 'int' };
export const UINT: Type = { kind: 'uint' };
export const STRING: Type = { kind: 'string', form: 'plain' };
export const HEX: Type = { kind: 'string', form: 'hex' };
export const CASELESS: Type = { kind: 'string', form: 'caseless' };
export const TIMESTAMP: Type = { kind: 'timestamp' };
export const DYNAMIC: Type = { kind: 'dynamic' };

export function textOf(form: OwnForm): Type {
  return { kind: 'string', form };
}

export function listOf(of: Type): Type {
  return { kind: 'list', of };
}

export function mapOf(of: Type): Type {
  return { kind: 'map', of };
}

export function struct(
  name: string,
  fields: Readonly<Record<string, Type>>,
  aliases?: Readonly<Record<string, string>>,
): StructType {
  return aliases === undefined ? { kind: 'struct', name, fields } : { kind: 'struct', name, fields, aliases };
}

export function formName(form: TextForm): string {
  if (typeof form === 'object') return form.name;
  return form === 'plain' ? 'string' : form;
}

/** The type's name in documents and messages. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'string':
      return formName(type.form);
    case 'list':
      return `list<${typeName(type.of)}>`;
    case 'map':
      return `map<${typeName(type.of)}>`;
    case 'struct':
      return type.name;
    default:
      return type.kind;
  }
}

/** The name of a field after resolving aliases, or undefined. Never reads a prototype. */
export function fieldName(type: StructType, name: string): string | undefined {
  if (type.open !== undefined || Object.hasOwn(type.fields, name)) return name;
  return type.aliases !== undefined && Object.hasOwn(type.aliases, name) ? type.aliases[name] : undefined;
}

/** The type of a field by the name that `fieldName` returned. */
export const fieldType = ({ fields, open }: StructType, name: string): Type =>
  open !== undefined && !Object.hasOwn(fields, name) ? open : fields[name]!;

export function isInteger(type: Type): boolean {
  return type.kind === 'int' || type.kind === 'uint';
}

/** The common equality of strings of these types: the most specific form. */
export function formOf(...types: readonly Type[]): TextForm {
  const forms = types.map((type) => (type.kind === 'string' ? type.form : 'plain'));
  const found = (wanted: TextForm): TextForm | undefined => forms.find((form) => form === wanted);
  return forms.find((form) => typeof form === 'object') ?? found('caseless') ?? found('hex') ?? 'plain';
}

/** int, uint, string and dynamic may be compared for equality: a decimal string equals its number. */
export function canEqual(a: Type, b: Type): boolean {
  if (a.kind === 'dynamic' || b.kind === 'dynamic') return isScalar(a) && isScalar(b);
  if (a.kind === 'string' && b.kind === 'string') return canMix(a.form, b.form);
  if (isInteger(a) || a.kind === 'string') return isInteger(b) || b.kind === 'string';
  return (a.kind === 'bool' || a.kind === 'timestamp') && a.kind === b.kind;
}

/** Addresses of two chains are not comparable. Nor are those with an equality of their own with a text that asks for another. */
function canMix(a: TextForm, b: TextForm): boolean {
  if (typeof a === 'object') return a === b || b === 'plain' || b === 'hex';
  return typeof b !== 'object' || a !== 'caseless';
}

export const isCaseless = (type: Type): boolean => type.kind === 'string' && type.form === 'caseless';

function isScalar(type: Type): boolean {
  return type.kind === 'dynamic' || type.kind === 'bool' || type.kind === 'string' || isInteger(type);
}

export function canOrder(a: Type, b: Type): boolean {
  if (a.kind === 'timestamp') return b.kind === 'timestamp';
  return (isInteger(a) || a.kind === 'dynamic') && (isInteger(b) || b.kind === 'dynamic');
}

/** The common type of a list's items, or undefined if there is none. */
export function unify(a: Type, b: Type): Type | undefined {
  // The whole list would lose, or take on, the equality of one item.
  if (isCaseless(a) !== isCaseless(b)) return undefined;
  if (a.kind === 'dynamic' || b.kind === 'dynamic') return isScalar(a) && isScalar(b) ? DYNAMIC : undefined;
  if (isInteger(a) && isInteger(b)) return a.kind === 'uint' ? a : b;
  if (a.kind === 'string' && b.kind === 'string') {
    if (!canMix(a.form, b.form)) return undefined;
    return a.form === formOf(a, b) ? a : b;
  }
  if ((a.kind === 'list' && b.kind === 'list') || (a.kind === 'map' && b.kind === 'map')) {
    const of = unify(a.of, b.of);
    return of && { kind: a.kind, of };
  }
  if (a.kind === 'struct' && b.kind === 'struct') return a === b ? a : unifyStructs(a, b);
  return a.kind === b.kind ? a : undefined;
}

function unifyStructs(a: StructType, b: StructType): Type | undefined {
  const names = Object.keys(a.fields);
  if (a.name !== b.name || names.length !== Object.keys(b.fields).length) return undefined;
  const fields: Record<string, Type> = Object.create(null);
  for (const name of names) {
    const other = Object.hasOwn(b.fields, name) ? b.fields[name] : undefined;
    const type = other && unify(a.fields[name]!, other);
    if (type === undefined) return undefined;
    fields[name] = type;
  }
  return struct(a.name, fields);
}

/** The type of a list's elements; those of a dynamic value are dynamic. */
export function elementOf(type: Type): Type {
  return type.kind === 'list' ? type.of : DYNAMIC;
}
