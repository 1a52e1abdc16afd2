/// <reference lib="dom" />
/** The search of a page. Everything else of the reference works without a script. */
import { type Found, find, type Index } from './find.ts';

const form = document.querySelector<HTMLFormElement>('#search')!;
const input = form.querySelector('input')!;
const list = document.querySelector<HTMLOListElement>('#found')!;
const status = document.querySelector<HTMLElement>('#count')!;

let loaded: Promise<Index> | undefined;
let load: () => Promise<Index>;

/** It is loaded when a reader begins to search. A failure is tried again. */
function index(): Promise<Index> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

function row({ href, title, place }: Found): HTMLLIElement {
  const [item, link, small] = [document.createElement('li'), document.createElement('a'), document.createElement('small')];
  link.href = href;
  link.textContent = title;
  small.textContent = place === title ? '' : ` ${place}`;
  item.append(link, small);
  return item;
}

async function search(): Promise<void> {
  const query = input.value;
  const found = await index().then(
    (all) => find(all, query),
    () => undefined,
  );
  // The reader has typed on meanwhile.
  if (query !== input.value) return;
  list.replaceChildren(...(found ?? []).map(row));
  const count = found?.length === 1 ? '1 place' : `${found?.length ?? 0} places`;
  status.textContent = found === undefined ? 'The search could not be loaded: try again' : query.trim() === '' ? '' : count;
}

const links = () => [...list.querySelectorAll('a')];

/** Arrow keys go through the results, and Escape back. */
function step(event: KeyboardEvent): void {
  const at = links().indexOf(document.activeElement as HTMLAnchorElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
  if (event.key === 'Escape') {
    input.value = '';
    list.replaceChildren();
    status.textContent = '';
    input.focus();
  } else if (next !== undefined && links().length > 0) {
    event.preventDefault();
    (next < 0 ? input : links()[Math.min(next, links().length - 1)])?.focus();
  }
}

/** `from`: loads what is searched in. */
export function begin(from: () => Promise<Index>): void {
  load = from;
  input.addEventListener('focus', () => void index().catch(() => {}));
  input.addEventListener('input', () => void search());
  form.addEventListener('keydown', step);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void search().then(() => links()[0]?.click());
  });
  list.addEventListener('click', (event) => {
    // A place on this page needs no load, and the results would cover it.
    if (event.target instanceof HTMLAnchorElement) list.replaceChildren();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}
