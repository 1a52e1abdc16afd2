import { readFileSync, statSync } from 'node:fs';
import { UUID } from '../base/ids.ts';
import { TemplateError } from '../messages/template.ts';
import { addTemplate, LONGEST_TEMPLATE, listTemplates, removeTemplate, type Template } from '../operator/mail-templates.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';

type Options = { organization?: string | undefined; name?: string | undefined; 'dry-run': boolean; json: boolean };

const SEE = 'see countersign templates --help';

function htmlIn(file: string | undefined): string {
  if (file === undefined) throw new UsageError(`name a file: countersign templates add FILE --name NAME; ${SEE}`);
  let text: string;
  try {
    if (statSync(file).size > LONGEST_TEMPLATE) throw new UsageError(`${file} must have at most ${LONGEST_TEMPLATE} bytes`);
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read as text: ${(error as Error).message}`);
  }
  if (text.trim() === '') throw new UsageError(`${file} is empty`);
  return text;
}

function nameOf(name: string | undefined): string {
  if (name === undefined || name.trim() === '') throw new UsageError(`give the template a name: --name NAME; ${SEE}`);
  if (name.length > 255 || /\p{Cc}/u.test(name))
    throw new UsageError('--name must have at most 255 characters, and no control characters');
  return name;
}

const line = ({ templateId, createdAt, name, uses }: Template): string =>
  `${templateId}  ${createdAt}  ${name}  (${uses.join(', ')})\n`;

async function add(file: string | undefined, now: number, organization: string | undefined, options: Options) {
  const wanted = { organization, name: nameOf(options.name), html: htmlIn(file), dryRun: options['dry-run'] };
  try {
    const done = await addTemplate(configOf(), now, wanted);
    const uses = `It uses ${done.uses.join(', ')}.`;
    const text = done.changed
      ? `Template ${done.templateId} was added. ${uses}\n`
      : `The template is valid. Nothing was changed. ${uses}\n`;
    return { done, text };
  } catch (error) {
    if (error instanceof TemplateError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

async function list(organization: string | undefined) {
  const done = await listTemplates(configOf(), { organization });
  return { done, text: done.templates.length === 0 ? 'There are no templates.\n' : done.templates.map(line).join('') };
}

async function remove(id: string | undefined, organization: string | undefined, dryRun: boolean) {
  if (id === undefined || !UUID.test(id))
    throw new UsageError(`name a template by its id: countersign templates remove TEMPLATE_ID; ${SEE}`);
  const done = await removeTemplate(configOf(), { organization, id: id.toLowerCase(), dryRun });
  const what = `Template ${done.templateId} ("${done.name}")`;
  return { done, text: done.changed ? `${what} was removed.\n` : `${what} would be removed. Nothing was changed.\n` };
}

/** `countersign templates …`: the text to print. */
export async function templatesCommand([action, operand]: readonly string[], now: number, options: Options): Promise<string> {
  const organization = options.organization?.toLowerCase();
  if (organization !== undefined && !UUID.test(organization))
    throw new UsageError(`--organization must be a UUID, not "${options.organization}"`);
  const run = {
    add: () => add(operand, now, organization, options),
    list: () => list(organization),
    remove: () => remove(operand, organization, options['dry-run']),
  };
  if (action === undefined || !Object.hasOwn(run, action)) throw new UsageError(`there is no "templates ${action}": ${SEE}`);
  if (action === 'list' && operand !== undefined)
    throw new UsageError(`countersign templates list takes no "${operand}": ${SEE}`);
  const { done, text } = await run[action as keyof typeof run]();
  return options.json ? `${JSON.stringify(done, null, 2)}\n` : text;
}
