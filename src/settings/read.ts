import { readFileSync } from 'node:fs';
import type { Environment, Secret, Setting } from './names.ts';

/** An invalid setting. The message names it and its permitted values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A secret is in the variable NAME, or in a file that NAME_FILE names. One trailing newline of the file is dropped. */
export function secret(env: Environment, name: Secret): string | undefined {
  const file = env[`${name}_FILE`];
  const value = env[name] || undefined;
  if (!file) return value;
  if (value !== undefined) throw new ConfigError(`set ${name} or ${name}_FILE, not both`);
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new ConfigError(`${name}_FILE names ${file}, which cannot be read: ${(cause as Error).message}`);
  }
}

export function whole(env: Environment, name: Setting, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  return value;
}

export function oneOf<T extends string>(env: Environment, name: Setting, values: readonly T[], fallback: T): T {
  const text = env[name] || fallback;
  if (!values.includes(text as T)) throw new ConfigError(`${name} must be ${values.join(' or ')}, not "${text}"`);
  return text as T;
}

export const isWebUrl = (text: string): boolean => /^https?:\/\//.test(text) && isUrl(text);

/** A base address, without slashes at its end. */
export function webUrl(env: Environment, name: Setting): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (!isWebUrl(text)) throw new ConfigError(`${name} must be a URL that starts with http:// or https://, not "${text}"`);
  return text.replace(/\/+$/, '');
}

/** Also decodes the text, because the database driver will do so. */
export function isUrl(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}
