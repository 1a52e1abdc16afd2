import { ConfigError } from '../config.ts';

/** Packages that only some settings need. Nothing installs them by itself. */
export const OPTIONAL_PACKAGES = {
  '@aws-sdk/client-kms': { version: '3.1164.0', compiles: false },
  pkcs11js: { version: '2.1.7', compiles: true },
} as const;

export type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/** The command that installs one. A package that compiles needs its install script: decision 0008. */
export function installCommand(name: OptionalPackage): string {
  const { version, compiles } = OPTIONAL_PACKAGES[name];
  return `npm install --no-save ${compiles ? '--ignore-scripts=false ' : ''}${name}@${version}`;
}

/** Loads one. `for`: the setting that needs it. */
export async function optionalPackage<T>(name: OptionalPackage, setting: string): Promise<T> {
  try {
    // Not a text of its own, so that the bundle leaves the package out.
    const loaded = await import([name].join(''));
    return (loaded.default ?? loaded) as T;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ERR_MODULE_NOT_FOUND' ? 'is not installed' : `cannot be loaded (${message})`;
    throw new ConfigError(`${setting} needs the package ${name}, which ${why}. Install it: ${installCommand(name)}`);
  }
}
