import { type Config, readConfig, withoutSecrets } from '../config.ts';

/** The configuration of a command. Warnings go to standard error. */
export function configOf(): Config {
  const config = readConfig();
  for (const warning of config.warnings) process.stderr.write(`warning: ${warning}\n`);
  return config;
}

/** The effective configuration, without secrets. */
export function showConfig(json: boolean): string {
  const shown = withoutSecrets(configOf());
  if (json) return JSON.stringify(shown, null, 2);
  const width = Math.max(...Object.keys(shown).map((name) => name.length));
  return Object.entries(shown)
    .map(([name, value]) => `${name.padEnd(width)}  ${String(value)}`)
    .join('\n');
}
