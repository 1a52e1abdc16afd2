/** Counts characters as databases do: a character with two UTF-16 units counts once. */
export const characters = (text: string): number => text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
