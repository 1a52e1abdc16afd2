/** The search of the reference: also for its tests, so nothing of a browser is here. */

export type Found = { href: string; title: string; place: string };
export type Place = readonly [href: string, title: string, place: string];
/** `words`: the places that have each, as numbers of base 36. All but the first are distances from the one before. */
export type Index = { places: readonly Place[]; words: Readonly<Record<string, string>> };

const PLAIN = new Set(
  'a an and are at be by can do does for from have how i if in is it its let me mean means most my of on one or so the this to user was want wants what when which who why with you your'.split(
    ' ',
  ),
);
const MOST = 30;

/** Letters and digits in small letters. Names with underscores are whole, and each of their parts. */
export function wordsOf(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(found.flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word])))].filter(
    (word) => word !== '',
  );
}

/** Endings that do not matter to a search. */
const stem = (word: string): string => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word);

/** Of the numbers of a word, in rising order. */
export function packed(places: readonly number[]): string {
  return places.map((place, at) => (place - (places[at - 1] ?? 0)).toString(36)).join(' ');
}

function unpacked(text: string): number[] {
  let sum = 0;
  return text.split(' ').map((distance) => (sum += Number.parseInt(distance, 36)));
}

/** What a place gets for one word that is asked. Its title counts more than its text. */
function weightsOf(asked: string, titles: readonly (readonly string[])[], words: Index['words']): number[] {
  const begins = stem(asked);
  const weights: number[] = titles.map((title) =>
    title.includes(asked) ? 12 : title.some((word) => word.startsWith(begins)) ? 8 : 0,
  );
  for (const [word, places] of Object.entries(words)) {
    const weight = word === asked ? 3 : word.startsWith(begins) ? 2 : 0;
    if (weight > 0) for (const place of unpacked(places)) weights[place] = Math.max(weights[place]!, weight);
  }
  return weights;
}

/** The best places first: those with most of the words. Of these, places that have them in their titles come first. */
export function find({ places, words }: Index, query: string): Found[] {
  const all = wordsOf(query);
  const meant = all.filter((word) => !PLAIN.has(word));
  const asked = meant.length > 0 ? meant : all;
  const titles = places.map(([, title]) => wordsOf(title));
  const byWord = asked.map((word) => weightsOf(word, titles, words));
  const ranked = places.map(([href, title, place], at) => {
    const weights = byWord.map((one) => one[at]!);
    const met = weights.filter((one) => one > 0).length;
    // Of two titles with the word, the shorter one is about it.
    const rank = met * 100 + weights.reduce((sum, one) => sum + one, 0) - Math.min(titles[at]!.length, 9);
    return { href, title, place, met, rank };
  });
  return ranked
    .filter(({ met }) => met > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MOST)
    .map(({ href, title, place }) => ({ href, title, place }));
}
