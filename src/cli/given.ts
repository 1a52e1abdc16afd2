import { closeSync, openSync, readSync } from 'node:fs';
import { isObject, parseJson } from '../base/json.ts';
import { UsageError } from './client.ts';

/** The service takes no longer body. */
const LONGEST = 1_048_576;

const tooLong = (where: string) => new UsageError(`${where} has more than ${LONGEST} bytes, which no request may have`);

async function ofStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > LONGEST) throw tooLong('standard input');
  }
  return Buffer.concat(chunks);
}

/** By its bytes, not by its size: a pipe has none. */
export function readBounded(file: string, complaint: string): Buffer {
  const bytes = Buffer.alloc(LONGEST + 1);
  let length = 0;
  try {
    const open = openSync(file, 'r');
    try {
      for (let more = 1; more > 0 && length < bytes.length; length += more)
        more = readSync(open, bytes, length, bytes.length - length, null);
    } finally {
      closeSync(open);
    }
  } catch (error) {
    throw new UsageError(`${complaint}: ${(error as Error).message}`);
  }
  if (length > LONGEST) throw tooLong(file);
  return bytes.subarray(0, length);
}

const bytesOf = (given: string): Buffer | Promise<Buffer> =>
  given === '-'
    ? ofStdin()
    : given.startsWith('@')
      ? readBounded(given.slice(1), 'cannot read the parameters')
      : Buffer.from(given);

/**
 * The parameters of an argument: JSON, `@FILE`, or `-` for standard input. They are parsed as by the service: duplicate keys are refused,
 * and large numbers keep their precision.
 */
export async function givenParameters(given = '{}'): Promise<Record<string, unknown>> {
  const parsed = parseJson(await bytesOf(given), { depth: 64, keys: 50_000 });
  const { value } = 'value' in parsed ? parsed : { value: undefined };
  if (isObject(value)) return value;
  const why = 'error' in parsed ? ` (${parsed.error})` : '';
  throw new UsageError(
    `the parameters must be a JSON object, such as '{"walletName":"Main"}', or @FILE, or - for standard input${why}`,
  );
}
