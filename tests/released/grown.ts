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

/** Members are by name, and not keywords of a schema. */
const BY_NAME = new Set(['properties', 'patternProperties']);

/** Keywords that bound nothing. `required` is compared by its names. */
const BOUNDLESS = new Set([...TEXTS, 'default', 'deprecated', 'required']);

const namesOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);

/**
 * Places where the schema of a request refuses more than before, by a further required member or a new bound. A new optional member is
 * none. `shrunk` tells what else has changed.
 */
export function narrowed(was: unknown, now: unknown, place = ''): string[] {
  if (!isObject(was) || !isObject(now)) return [];
  const inside = Object.keys(was).flatMap((name) => narrowed(was[name], now[name], `${place}/${name}`));
  if (Array.isArray(was) || BY_NAME.has(place.split('/').at(-1)!)) return inside;
  const required = namesOf(now.required).filter((name) => !namesOf(was.required).includes(name));
  const bounds = Object.keys(now).filter((keyword) => !(keyword in was) && !BOUNDLESS.has(keyword));
  return [
    ...required.map((name) => `${place} requires ${name}`),
    ...bounds.map((keyword) => `${place} has a new ${keyword}`),
    ...inside,
  ];
}
