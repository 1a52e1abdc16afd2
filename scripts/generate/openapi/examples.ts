import { existsSync, readFileSync } from 'node:fs';

type Example = { request: unknown; answer?: unknown };
export type Examples = Readonly<Record<string, Example>>;

/** Bodies that tests ran, and what was answered. */
export const EXAMPLES = new URL('../../../openapi/examples.json', import.meta.url);

const recorded: Examples = existsSync(EXAMPLES) ? JSON.parse(readFileSync(EXAMPLES, 'utf8')) : {};

type Named = Record<string, { value: unknown }>;

/** The examples of these types, or of a query, as OpenAPI names them. */
export function examplesOf(types: readonly string[]): { requests: Named; answers: Named } {
  const requests: Named = {};
  const answers: Named = {};
  for (const type of types) {
    const example = recorded[type];
    if (example === undefined) continue;
    const name = type.replace(/^ACTIVITY_TYPE_|^proxy:/, '');
    requests[name] = { value: example.request };
    if (example.answer !== undefined) answers[name] = { value: example.answer };
  }
  return { requests, answers };
}
