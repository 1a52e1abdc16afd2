import type { AppSpec } from './app-spec.ts';
import { SandboxRefused } from './types.ts';

const KEY_BYTES = 4096;
const TEXT_BYTES = 65_536;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536;

/** Refuses what cannot be passed to an app. */
export function checkSpec({ args, environment, key, ports, egress }: AppSpec): void {
  const texts = [...args, ...Object.entries(environment).flat()];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  if (bytes > TEXT_BYTES)
    throw new SandboxRefused(`Its arguments and variables have ${bytes} bytes, and may have ${TEXT_BYTES}.`);
  if (texts.some((text) => text.includes('\0'))) throw new SandboxRefused('Its arguments or variables contain a zero byte.');
  const badName = Object.keys(environment).find((name) => !VARIABLE.test(name));
  if (badName !== undefined) throw new SandboxRefused(`${JSON.stringify(badName)} is no name of a variable.`);
  if (key.length > KEY_BYTES) throw new SandboxRefused(`Its key has ${key.length} bytes, and may have ${KEY_BYTES}.`);
  const badPort = [...ports, ...(egress === undefined ? [] : [egress.port])].find((port) => !isPort(port));
  if (badPort !== undefined) throw new SandboxRefused(`${badPort} is no port.`);
  if (egress !== undefined && ports.includes(egress.port))
    throw new SandboxRefused(`Port ${egress.port} is its way out, so the app cannot listen on it.`);
}
