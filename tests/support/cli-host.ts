// with others: it runs in a process of its own.
/** Runs the command line once for each message of its parent, in one process. `cli.ts` beside this starts it. */

import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { bundled } from '../../src/app/bundled.ts';
import type { CliRan, CliRun } from './cli.ts';

const bundle = bundled(resolve(import.meta.dirname, '../..'), 'cli');
const { main } =
  bundle === undefined
    ? await import('../../src/cli/run.ts')
    : ((await import(pathToFileURL(bundle).href)) as typeof import('../../src/cli/run.ts'));

/** Collects the output until it is called. */
function collect(stream: NodeJS.WriteStream): () => string {
  const write = stream.write;
  let text = '';
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  }) as typeof write;
  return () => {
    stream.write = write;
    return text;
  };
}

async function run({ args, env, cwd, umask, input }: CliRun): Promise<CliRan> {
  process.env = { ...env };
  process.chdir(cwd);
  process.umask(umask);
  Object.defineProperty(process, 'stdin', {
    value: Readable.from([Buffer.from(input)], { objectMode: false }),
    configurable: true,
  });
  process.exitCode = undefined;
  const [out, err] = [collect(process.stdout), collect(process.stderr)];
  try {
    await main(args);
  } finally {
    process.stdout.removeAllListeners('error');
  }
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { code, out: out(), err: err() };
}

let last: Promise<unknown> = Promise.resolve();
process.on('message', (asked: CliRun) => {
  last = last.then(async () => process.send!(await run(asked)));
});
process.on('disconnect', () => process.exit());
process.send!('ready');
