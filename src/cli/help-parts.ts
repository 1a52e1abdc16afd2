/** What completion and the manual page need of a help: it is written once, as the text that people read. */

/** The options that a help names, without their dashes. */
export const optionsIn = (help: string): string[] => [
  ...new Set([...help.split('\nExamples:')[0]!.matchAll(/(?<![\w-])--([a-z][a-z0-9-]*)/g)].map(([, name]) => name!)),
];

/** The actions of a command: the words after its name in the lines of its usage. */
export const actionsIn = (name: string, help: string): string[] => {
  const [usage] = help.split('\n\n');
  const words = [...usage!.matchAll(new RegExp(`countersign ${name} ([a-z][a-z|-]*)`, 'g'))].flatMap(([, word]) =>
    word!.split('|'),
  );
  return [...new Set(words)];
};
