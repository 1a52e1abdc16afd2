import { isObject } from '../src/base/json.ts';

export type Answer = { readonly [member: string]: unknown };

/** A query of the service. It rejects where the service does not say it. */
export type Ask = (name: string, parameters: object) => Promise<Answer>;

/** Of each kind. A larger change shows the others without what holds now. */
export const MOST = 50;

export const NOW = 'what holds now';

export const objects = (value: unknown): readonly Answer[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const texts = (values: readonly unknown[]): string[] => [
  ...new Set(values.filter((value): value is string => typeof value === 'string' && value !== '')),
];

/** Asks, and keeps what is missing in mind. */
export function asking(ask: Ask) {
  const missing = new Set<string>();
  const lacks = (what: string) => void missing.add(`${what} could not be read`);
  const asked = async (what: string, name: string, parameters: object = {}): Promise<Answer> => {
    try {
      return await ask(name, parameters);
    } catch {
      lacks(what);
      return {};
    }
  };
  return { missing, lacks, asked };
}

export type Asking = ReturnType<typeof asking>;
