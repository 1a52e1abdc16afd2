import { setFlagsFromString } from 'node:v8';

/**
 * Called before any other thread starts. The large young generation that npm start asks for (scripts/setup/service-node.mjs) is for
 * the main thread, which has it by now. Threads after it get V8's own bounds, or those of their `resourceLimits`, which a flag
 * would override.
 */
export function keepYoungGenerationForThisThread(flags: readonly string[] = process.execArgv): void {
  if (!flags.some((flag) => flag.startsWith('--min-semi-space-size'))) return;
  for (const bound of ['min', 'max']) setFlagsFromString(`--${bound}-semi-space-size=0`);
}
