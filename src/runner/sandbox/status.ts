import type { Readable } from 'node:stream';

const STATUS_BYTES = 4096;

/** What bubblewrap tells of a sandbox. */
export interface Status {
  /** The process in the sandbox with the number 1. Undefined if the sandbox was not made. */
  readonly pid: number | undefined;
  readonly netNamespace: number | undefined;
}

/** No sandbox was made if bubblewrap says something else: it may have been killed while it wrote. */
function statusOf(line: string): Status {
  try {
    const { 'child-pid': pid, 'net-namespace': netNamespace } = JSON.parse(line) as Record<string, number>;
    return { pid, netNamespace };
  } catch {
    return { pid: undefined, netNamespace: undefined };
  }
}

/** Reads bubblewrap's status: one JSON document a line. The first is of the start, the last of the app's exit. */
export function readStatus(from: Readable): { started: Promise<Status>; hasRun: () => boolean } {
  let text = '';
  let tell: (status: Status) => void;
  const started = new Promise<Status>((resolve) => {
    tell = resolve;
  });
  from.setEncoding('utf8');
  from.on('data', (chunk: string) => {
    if (text.length < STATUS_BYTES) text += chunk;
    const [first, ...others] = text.split('\n');
    if (others.length === 0) return;
    tell(statusOf(first!));
  });
  from.once('close', () => tell({ pid: undefined, netNamespace: undefined }));
  return { started, hasRun: () => text.includes('"exit-code"') };
}
