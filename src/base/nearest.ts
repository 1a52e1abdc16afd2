/** Longer words are no slips of the keyboard, and cost too much to compare. */
const MAX_LENGTH = 64;

/**
 * The candidate that `word` was most likely meant to be: within `most` slips (a character too many, missing, wrong, or
 * two exchanged), by default one for every three characters. Case, `_` and `-` do not count. The first of equals.
 */
export function nearest(word: string, candidates: Iterable<string>, most = slips(word)): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const wanted = plain(word);
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const candidate of candidates) {
    const other = plain(candidate);
    if (candidate.length > MAX_LENGTH || Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

const plain = (word: string): string => word.replace(/[_-]/g, '').toLowerCase();

const slips = (word: string): number => Math.max(1, Math.floor((plain(word).length + 1) / 3));

/** Damerau and Levenshtein's distance, without edits between two exchanged characters. */
function editDistance(a: string, b: string): number {
  let twoBack: number[] = [];
  let oneBack = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let distance = Math.min(oneBack[j - 1]! + (same ? 0 : 1), oneBack[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) distance = Math.min(distance, twoBack[j - 2]! + 1);
      row.push(distance);
    }
    twoBack = oneBack;
    oneBack = row;
  }
  return oneBack[b.length]!;
}
