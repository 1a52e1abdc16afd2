/** Lines of the log, in a form for programs and in one for people. */

export type Fields = Readonly<Record<string, unknown>>;

const PLAIN = /^[ !#-[\]-~]*$/;

/** Most texts need no escape sequence, and this check is cheaper than JSON.stringify. */
const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** JSON cannot represent a function, nor a value that JSON.stringify fails on. */
function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '"(not to be shown as JSON)"';
  }
}

const causeOf = ({ cause }: Error): Error | undefined => (cause instanceof Error ? cause : undefined);

/** An error and its causes, the error first. */
function chain(error: Error): Error[] {
  const all: Error[] = [];
  for (let each: Error | undefined = error; each !== undefined && !all.includes(each); each = causeOf(each)) all.push(each);
  return all;
}

/** All details of an error, including its members, such as the code from PostgreSQL. */
function errorFields(error: Error): Fields {
  const all = chain(error);
  const fields: Record<string, unknown> = {
    type: error.constructor?.name ?? error.name,
    message: all.map(({ message }) => message).join(': '),
    stack: all.map(({ stack }) => stack ?? '').join('\ncaused by: '),
  };
  if (error instanceof AggregateError) fields.aggregateErrors = error.errors.map(shown);
  for (const [name, value] of Object.entries(error)) if (name !== 'cause' && !(name in fields)) fields[name] = shown(value);
  return fields;
}

const shown = (value: unknown): unknown => (value instanceof Error ? errorFields(value) : value);

/** `time`: as ISO 8601. Members without a value are left out. */
export type LogLine = (level: string, time: string, fields: Fields, message: string) => string;

/** One JSON object. */
export const jsonLine: LogLine = (level, time, fields, message) => {
  let line = `{"level":"${level}","time":"${time}"`;
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    line += `,${quoted(name)}:${typeof value === 'string' ? quoted(value) : json(shown(value))}`;
  }
  return `${line},"msg":${quoted(message)}}\n`;
};

/** Clients choose some of these texts: none may move a terminal's cursor. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');

const WORD = /^[!#-<>-~]+$/;

/** For a terminal: the message first, then the members, and the stack of an error on lines of its own. */
export const terminalLine: LogLine = (level, time, fields, message) => {
  let line = `${time.slice(11, 19)}Z ${level.padEnd(5)} ${message}`;
  let stack = '';
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (value instanceof Error) {
      const { type: _type, message: _message, stack: told, ...more } = errorFields(value);
      stack += `\n${name}: ${told}`;
      if (Object.keys(more).length > 0) line += `  ${name}=${json(more)}`;
    } else line += `  ${name}=${typeof value === 'string' && WORD.test(value) ? value : json(value)}`;
  }
  return `${printable(line)}${stack.split('\n').map(printable).join('\n    ')}\n`;
};
