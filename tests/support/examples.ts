/** Examples of the API documents: bodies that tests ran, and their answers. RECORD_EXAMPLES=1 writes them down. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { EXAMPLES, type Examples } from '../../scripts/generate/openapi/examples.ts';

const recorded: Examples = existsSync(EXAMPLES) ? JSON.parse(readFileSync(EXAMPLES, 'utf8')) : {};
const seen: Record<string, { request: unknown; answer?: unknown }> = {};

/** Long lists, and the copy of the activity for older clients, would hide the rest. */
const shortened = (key: string, value: unknown): unknown => {
  if (Array.isArray(value)) return key === 'votes' ? [] : value.slice(0, 2);
  if (key !== 'result' || typeof value !== 'object' || value === null) return value;
  const { activity: _, ...result } = value as Record<string, unknown>;
  return result;
};

/** Tests make up names such as `nobody 8b38…`. A reader is shown `Example wallet` for a `walletName`. */
const withPlainNames = (text: string): string =>
  text.replace(/"(\w+)":"(?:nobody|own) [0-9a-f]+"/g, (_, key: string) => {
    const what = key.replace(/Name$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return `"${key}":"Example ${what.replace(/\b(?:api|mfa)\b/, (word) => word.toUpperCase())}"`;
  });

export function noteExample(type: string, request: string, answer: unknown): void {
  const shown = answer === undefined ? {} : { answer: JSON.parse(withPlainNames(JSON.stringify(answer)), shortened) };
  seen[type] ??= { request: JSON.parse(withPlainNames(JSON.stringify(JSON.parse(request)))), ...shown };
}

/** The same for a request of the auth proxy: any test's first one that was answered. */
export function noteProxyExample(name: string, request: string, answer: { status: number; body: unknown }): void {
  if (process.env.RECORD_EXAMPLES === undefined || answer.status !== 200) return;
  noteExample(`proxy:${name}`, request, answer.body);
  outdatedExamples();
}

const membersOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(membersOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, membersOf(member)]));
};

/** Operations whose recorded request has other members than the one that ran. Records all of them if it is told to. */
export function outdatedExamples(): string[] {
  if (process.env.RECORD_EXAMPLES !== undefined) {
    const all = Object.entries({ ...recorded, ...seen }).sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(EXAMPLES, `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`);
    return [];
  }
  const shape = (example: { request: unknown } | undefined) => JSON.stringify(membersOf(example?.request ?? null));
  return Object.keys(seen).filter((type) => shape(seen[type]) !== shape(recorded[type]));
}
