/** Counts characters as databases do: one that takes two units of JavaScript's strings is one. */
export const characters = (text: string): number => text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
