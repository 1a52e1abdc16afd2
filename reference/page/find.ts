/** The search of the reference: also for its tests, so nothing of a browser is here. */

/** Words of a section that its title lacks. */
export type Found = { href: string; title: string; place: string };
export type Index = readonly (readonly [href: string, title: string, place: string, words: string])[];

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

function weight(asked: string, title: readonly string[], words: readonly string[]): number {
  if (title.includes(asked)) return 12;
  const begins = stem(asked);
  if (title.some((word) => word.startsWith(begins))) return 8;
  if (words.includes(asked)) return 3;
  return words.some((word) => word.startsWith(begins)) ? 2 : 0;
}

/** The best places first: those with most of the words, and of these the ones that have them in their titles. */
export function find(index: Index, query: string): Found[] {
  const all = wordsOf(query);
  const meant = all.filter((word) => !PLAIN.has(word));
  const asked = meant.length > 0 ? meant : all;
  if (asked.length === 0) return [];
  const ranked = index.map(([href, title, place, words]) => {
    const [ofTitle, others] = [wordsOf(title), words.split(' ')];
    const weights = asked.map((word) => weight(word, ofTitle, others));
    const met = weights.filter((one) => one > 0).length;
    // Of two titles with the word, the shorter one is about it.
    const rank = met * 100 + weights.reduce((sum, one) => sum + one, 0) - Math.min(ofTitle.length, 9);
    return { href, title, place, met, rank };
  });
  return ranked
    .filter(({ met }) => met > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MOST)
    .map(({ href, title, place }) => ({ href, title, place }));
}
