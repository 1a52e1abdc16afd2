/** What completion and the manual page need of a help: it is written once, as the text that people read. */

/** The options that a help explains, without their dashes: those of its usage, and those that begin a line. */
export function optionsIn(help: string): string[] {
  const [usage, ...rest] = help.split('\n\n');
  const rows = rest.join('\n\n').match(/^ {2}--[a-z].*/gm) ?? [];
  return [
    ...new Set(
      [usage, ...rows].flatMap((text) => [...text!.matchAll(/(?<![\w-])--([a-z][a-z0-9-]*)/g)].map(([, name]) => name!)),
    ),
  ];
}

/** The actions of a command: the words after its name in the lines of its usage. */
export function actionsIn(name: string, help: string): string[] {
  const [usage] = help.split('\n\n');
  const words = usage!.matchAll(new RegExp(`countersign ${name} ([a-z][a-z|-]*)`, 'g'));
  return [...new Set([...words].flatMap(([, word]) => word!.split('|')))];
}
