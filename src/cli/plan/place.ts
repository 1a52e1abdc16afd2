import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';

/** Where something is in a file, as `FILE:LINE:COLUMN`. */
export type Place = string;

type Path = readonly PropertyKey[];

/** Finds the place of a member by its path; that of the nearest member around it, if it is missing. `isKey`: that of its name. */
export function placesIn(file: string, document: Document, lines: LineCounter): (path: Path, isKey?: boolean) => Place {
  const told = (node: unknown): Place => {
    const { line, col } = lines.linePos((node as Node | null)?.range?.[0] ?? 0);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  return (path, isKey = false) => {
    let node: unknown = document.contents;
    let name: unknown;
    for (const part of path) {
      if (isAlias(node)) node = node.resolve(document);
      let next: unknown;
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => (isScalar(key) ? key.value : key) === part);
        name = pair?.key;
        next = pair?.value ?? pair?.key;
      } else if (isSeq(node) && typeof part === 'number') next = node.items[part];
      if (next === undefined || next === null) break;
      node = next;
    }
    return told(isKey ? (name ?? node) : node);
  };
}
