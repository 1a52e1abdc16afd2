/** Longer words are unlikely to be typing errors, and are expensive to compare. */
const MAX_LENGTH = 64;

/**
 * The candidate closest to `word`, within `most` edits; by default one edit per three characters. An edit is a character added, missing
 * or wrong, or two exchanged. Ignores case, `_` and `-`. The first candidate wins a tie.
 */
export function nearest(word: string, candidates: Iterable<string>, most = slips(word)): string | undefined {
  return nearestOf(candidates)(word, most);
}

/** The same for several words with the same candidates. */
export function nearestOf(candidates: Iterable<string>): (word: string, most?: number) => string | undefined {
  const known = Array.from(candidates, (candidate) => ({ candidate, other: plain(candidate) }));
  return (word, most = slips(word)) => {
    if (word.length > MAX_LENGTH) return undefined;
    const wanted = plain(word);
    let best: string | undefined;
    let bestDistance = most + 1;
    for (const { candidate, other } of known) {
      if (candidate.length > MAX_LENGTH || Math.abs(other.length - wanted.length) >= bestDistance) continue;
      const distance = editDistance(wanted, other, bestDistance);
      if (distance >= bestDistance) continue;
      best = candidate;
      bestDistance = distance;
    }
    return best;
  };
}

const plain = (word: string): string => word.replace(/[_-]/g, '').toLowerCase();

const slips = (word: string): number => Math.max(1, Math.floor((plain(word).length + 1) / 3));

/** Damerau–Levenshtein distance, restricted: no edits between two exchanged characters. `most`: it is not computed beyond this. */
function editDistance(a: string, b: string, most: number): number {
  let twoBack: number[] = [];
  let oneBack = Array.from({ length: b.length + 1 }, (_, index) => index);
  let leastBack = 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let distance = Math.min(oneBack[j - 1]! + (same ? 0 : 1), oneBack[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) distance = Math.min(distance, twoBack[j - 2]! + 1);
      row.push(distance);
      if (distance < least) least = distance;
    }
    // Each later row results from the last two.
    if (least >= most && leastBack >= most) return most;
    twoBack = oneBack;
    oneBack = row;
    leastBack = least;
  }
  return oneBack[b.length]!;
}
