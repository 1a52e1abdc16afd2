import { SendError } from './types.ts';

const DEADLINE_MS = 20_000;
const MOST_BYTES = 65_536;

/** The answer of another service. */
export type Posted = { status: number; text: string };

async function firstBytes(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (size > MOST_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, MOST_BYTES).toString('utf8');
}

/** POST to an address that the operator set. Redirects are not followed. Throws SendError for an error that may pass. */
export async function post(url: string, body: string, headers: Record<string, string>, stop: AbortSignal): Promise<Posted> {
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(DEADLINE_MS)]);
    const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
    return { status: response.status, text: await firstBytes(response) };
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? ((cause as { code?: string }).code ?? cause.message) : message;
    throw new SendError(`no answer: ${why}`, { permanent: false });
  }
}
