/** What an API document promises, however it is laid out: shapes without references, and versions by their type. */
type Json = { [key: string]: unknown };

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

function merged(a: Json, b: Json): Json {
  const both = { ...a };
  for (const [key, value] of Object.entries(b)) both[key] = isObject(value) && isObject(a[key]) ? merged(a[key], value) : value;
  return both;
}

/** Bounds of JavaScript's numbers, closed answers and the case of hex digits promise nothing. */
const says = ([key, value]: [string, unknown]): boolean =>
  !(key === 'additionalProperties' && value === false) &&
  !(typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER);

function plain(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((one) => plain(one, schemas));
  if (typeof schema === 'string') return schema.replaceAll('[0-9a-fA-F]', '[0-9a-f]');
  if (!isObject(schema)) return schema;
  const { $ref, allOf, ...rest } = schema;
  const own = Object.fromEntries(
    Object.entries(rest)
      .filter(says)
      .map(([key, value]) => [key, plain(value, schemas)]),
  );
  if (typeof $ref === 'string') return merged(plain(schemas[$ref.split('/').at(-1)!], schemas) as Json, own);
  return Array.isArray(allOf) ? allOf.map((one) => plain(one, schemas) as Json).reduce(merged, own) : own;
}

type Body = { content: { 'application/json': { schema: Json } } };
type Operation = { operationId: string; security: unknown; parameters?: unknown; requestBody: Body; responses: { 200: Body } };
type Document = { paths: Record<string, { post: Operation }>; components: { schemas: Json; securitySchemes?: unknown } };

const schemaOf = (body: Body) => body.content['application/json'].schema;

/** Request and answer of each operation, and how they are stamped. */
export function contractOf({ paths, components }: Document): Json {
  const { schemas, securitySchemes = {} } = components;
  const operations = Object.entries(paths).map(([path, { post }]) => {
    const { operationId, security, parameters = [] } = post;
    const request = plain(schemaOf(post.requestBody), schemas) as Json;
    const versions = ((request.oneOf as Json[] | undefined) ?? [request]).map((one) => {
      const { type } = (one.properties ?? {}) as { type?: { const?: string } };
      return [type?.const ?? 'body', one] as const;
    });
    const answer = plain(schemaOf(post.responses[200]), schemas);
    return [path, { operationId, security, parameters, versions: Object.fromEntries(versions), answer }] as const;
  });
  return { securitySchemes, operations: Object.fromEntries(operations) };
}
