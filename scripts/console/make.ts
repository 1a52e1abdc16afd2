/** Makes `.cache/bundle/console.json` of the present sources, if it is not there. Set-up runs it (scripts/setup/console.mjs). */
import type { BuildFailure } from 'esbuild';
import { put, ROOT } from '../bundle-place.ts';
import { makeConsole } from './build.ts';

try {
  await makeConsole(ROOT, put);
} catch (error) {
  const [first] = (error as Partial<BuildFailure>).errors ?? [];
  const at = first?.location ? `${first.location.file}:${first.location.line}: ` : '';
  process.stderr.write(`the console is not built: ${at}${first?.text ?? (error as Error).message.split('\n')[0]}\n`);
  process.exitCode = 1;
}
