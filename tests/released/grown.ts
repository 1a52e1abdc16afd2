/** Texts for people, which may change. */
const TEXTS = new Set(['description', 'summary', 'title', 'example', 'examples', 'version']);

/** A text that lists names grows as a list of names does. */
const namesIn = (text: unknown): string[] | undefined =>
  typeof text === 'string' && text.startsWith("one of '") ? [...text.matchAll(/'([^']*)'/g)].map(([, name]) => name!) : undefined;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Places where `now` lacks or changes what `was` has. An object may have more members, and a list more elements. */
export function shrunk(was: unknown, now: unknown, place = ''): string[] {
  const [names, namesNow] = [namesIn(was), namesIn(now)];
  if (names && namesNow) return shrunk(names, namesNow, place);
  if (Array.isArray(was)) {
    if (!Array.isArray(now)) return [`${place} is no list`];
    // Lists of names have no order, and lists of values keep theirs.
    if (was.every((one) => typeof one === 'string'))
      return was.filter((one) => !now.includes(one)).map((one) => `${place} has no ${one}`);
    if (now.length < was.length) return [`${place} has ${now.length} elements, not ${was.length}`];
    return was.flatMap((one, i) => shrunk(one, now[i], `${place}/${i}`));
  }
  if (isObject(was)) {
    if (!isObject(now)) return [`${place} is no object`];
    return Object.keys(was)
      .filter((key) => !TEXTS.has(key) || isObject(was[key]))
      .flatMap((key) => (key in now ? shrunk(was[key], now[key], `${place}/${key}`) : [`${place} has no ${key}`]));
  }
  return was === now ? [] : [`${place} is ${JSON.stringify(now)}, not ${JSON.stringify(was)}`];
}

type Schema = Record<string, unknown>;

const NAMED = new Set(['properties', 'patternProperties']);

const named = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);

/** Places where the schema of a request refuses more than before: it requires a member, or has a new bound. New optional members do not. */
export function narrowed(was: Schema, now: Schema, place = ''): string[] {
  const required = named(now.required).filter((name) => !named(was.required).includes(name));
  const bounds = Object.keys(now).filter((key) => !(key in was) && key !== 'required' && !TEXTS.has(key) && key !== 'default');
  const inside = Object.keys(was).flatMap((key) => {
    const [a, b] = [was[key], now[key]];
    if (!isObject(a) || !isObject(b)) return [];
    const isMap = Array.isArray(a) || NAMED.has(key);
    const pairs = isMap ? Object.keys(a).map((name) => [`${key}/${name}`, (a as Schema)[name], (b as Schema)[name]] as const) : [[key, a, b] as const];
    return pairs.flatMap(([name, one, other]) => (isObject(one) && isObject(other) ? narrowed(one, other, `${place}/${name}`) : []));
  });
  return [...required.map((name) => `${place} requires ${name}`), ...bounds.map((key) => `${place} has a new ${key}`), ...inside];
}
