const MAX_NAME = 64;

/** The closest known name, as a hint, if it is close enough to be a typing error. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const best = nearest(name, known);
  return best === undefined ? undefined : `did you mean \`${best}\`?`;
}

/** The closest known name within `most` edits; by default, one for each three letters. */
export function nearest(name: string, known: Iterable<string>, most?: number): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const wanted = plain(name);
  let best: string | undefined;
  let bestDistance = (most ?? Math.max(1, Math.floor((wanted.length + 1) / 3))) + 1;
  for (const candidate of known) {
    const other = plain(candidate);
    if (Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Ignores case and underscores, so that `chainId` finds `chain_id`. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** Edit distance: letters added, omitted, changed, or swapped with the next. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : change;
      next.push(Math.min(change, exchanged, row[j]! + 1, next[j - 1]! + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
