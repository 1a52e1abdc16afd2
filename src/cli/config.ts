import { readConfig, withoutSecrets } from '../config.ts';

/** The effective configuration, without secrets. */
export function showConfig(json: boolean): string {
  const shown = withoutSecrets(readConfig());
  if (json) return JSON.stringify(shown, null, 2);
  const width = Math.max(...Object.keys(shown).map((name) => name.length));
  return Object.entries(shown)
    .map(([name, value]) => `${name.padEnd(width)}  ${String(value)}`)
    .join('\n');
}
