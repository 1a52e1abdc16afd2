/** Holds accepted requests, and all answers, to the API document. */
import { readFileSync } from 'node:fs';
import { activities } from '../../src/activities/index.ts';
import { problemsOf, type Schema } from './json-schema.ts';

type Operation = {
  requestBody: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
};
type Document = { paths: Record<string, { post: Operation }>; components: { schemas: Record<string, Schema> } };

const OPENAPI = new URL('../../openapi/', import.meta.url);
let documents: Document[] | undefined;

const read = (name: string): Document => JSON.parse(readFileSync(new URL(name, OPENAPI), 'utf8'));

const withoutNulls = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value;

/** Other names of types, which the document mentions in a sentence. */
const aliases: Readonly<Record<string, string>> = Object.assign({}, ...activities.map((kind) => kind.aliases ?? {}));

const named = (key: string, value: unknown) =>
  key === 'type' && typeof value === 'string' ? (aliases[value] ?? value) : withoutNulls(key, value);

const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Names of members in the document's spelling. Names with a capital, as types of typed data may have, stay. */
const respelled = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [camel(name), member]))
    : value;

/** Throws if the document does not say what was asked or answered. */
export function checkDocumented(path: string, request: string, status: number, answer: unknown): void {
  documents ??= ['public-api.json', 'auth-proxy.json'].map(read);
  for (const { paths, components } of documents) {
    const operation = paths[path]?.post;
    if (operation === undefined) continue;
    const { schemas } = components;
    const problems =
      status === 200
        ? problemsOf(operation.responses[200]!.content['application/json']!.schema, answer, { schemas, closed: true })
        : problemsOf({ $ref: '#/components/schemas/Error' }, answer, { schemas, closed: true });
    if (problems.length > 0) throw new Error(`the answer of ${path} is not as documented: ${problems.slice(0, 5).join('; ')}`);
    if (status !== 200) return;
    const asked: unknown = JSON.parse(request || '{}', named);
    const { schema } = operation.requestBody.content['application/json']!;
    const how = { schemas, closed: false };
    const wrong = problemsOf(schema, asked, how);
    if (wrong.length > 0 && problemsOf(schema, JSON.parse(JSON.stringify(asked), respelled), how).length > 0)
      throw new Error(`an accepted request of ${path} is not as documented: ${wrong.slice(0, 5).join('; ')}`);
    return;
  }
}
