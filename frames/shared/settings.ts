/// <reference lib="dom" />
import { isObject } from '../../src/base/json.ts';
import { FrameError } from './frame-error.ts';

const LONGEST = 16 * 1024;
const LONGEST_VALUE = 200;

const NUMBER = '\\d{1,5}(?:\\.\\d{1,4})?';
const LENGTH = `(?:0|${NUMBER}(?:px|em|rem|%|vh|vw|in|cm|mm|pt|pc|ex|ch|vmin|vmax))`;
const SIDES = `${LENGTH}(?: ${LENGTH}){0,3} ?`;
const ALPHA = `(?:, ?${NUMBER}%?|, ?\\.\\d{1,4})?`;
const COLOUR = [
  'transparent|inherit|initial|currentcolor|#[0-9a-f]{3,8}',
  `rgba?\\(\\d{1,3}, ?\\d{1,3}, ?\\d{1,3}${ALPHA}\\)`,
  `hsla?\\(${NUMBER}, ?${NUMBER}%, ?${NUMBER}%${ALPHA}\\)`,
].join('|');

const pattern = (text: string) => new RegExp(`^(?:${text})$`, 'i');
const [length, sides, colour] = [LENGTH, SIDES, COLOUR].map(pattern) as [RegExp, RegExp, RegExp];
const limit = pattern(`${LENGTH}|none`);
const size = pattern(`${LENGTH}|auto`);

/** The properties that an app may set, and the values of each. */
const STYLES: ReadonlyMap<string, RegExp> = new Map([
  ['padding', sides],
  ['margin', sides],
  ['borderWidth', sides],
  ['borderStyle', pattern('none|solid|dashed|dotted|double|groove|ridge|inset|outset')],
  ['borderColor', colour],
  ['borderRadius', sides],
  ['fontSize', length],
  ['fontWeight', pattern('normal|bold|bolder|lighter|\\d{3}')],
  ['fontFamily', /^[^";<>\\]*$/],
  ['color', colour],
  ['labelColor', colour],
  ['backgroundColor', colour],
  ['width', size],
  ['height', size],
  ['maxWidth', limit],
  ['maxHeight', limit],
  ['lineHeight', pattern(`${LENGTH}|${NUMBER}|normal`)],
  ['boxShadow', pattern(`none|${LENGTH}(?: ${LENGTH}){1,3} (?:${COLOUR})(?: inset)?`)],
  ['textAlign', pattern('left|right|center|justify|start|end|initial|inherit')],
  ['overflowWrap', pattern('normal|break-word|anywhere')],
  ['wordWrap', pattern('normal|break-word')],
  ['resize', pattern('none|both|horizontal|vertical|block|inline')],
]);

export type Styles = ReadonlyMap<string, string>;
export type Settings = { styles: Styles; passphraseStyles: Styles; enablePassphrase: boolean };

function stylesOf(value: unknown, name: string): Styles {
  if (value === undefined) return new Map();
  if (!isObject(value)) throw new FrameError(`${name} must be an object`);
  const entries = Object.entries(value).map(([property, given]): [string, string] => {
    // The property is the app's own text, and is no secret.
    const allowed = STYLES.get(property);
    if (allowed === undefined) throw new FrameError(`${name} has a property that may not be set: ${property.slice(0, 40)}`);
    const text = typeof given === 'string' ? given.trim() : '';
    if (text === '' || text.length > LONGEST_VALUE || !allowed.test(text))
      throw new FrameError(`${name}.${property} has a value that is not allowed`);
    return [property, text];
  });
  return new Map(entries);
}

/** Reads the text of an app's settings. One wrong item refuses all. Throws FrameError. */
export function readSettings(text: unknown): Settings {
  if (typeof text !== 'string' || text.length > LONGEST)
    throw new FrameError(`settings must be a text of at most ${LONGEST} characters`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FrameError('settings must be JSON');
  }
  if (!isObject(value)) throw new FrameError('settings must be an object');
  const { styles, passphraseStyles, enablePassphrase } = value;
  return {
    styles: stylesOf(styles, 'styles'),
    passphraseStyles: stylesOf(passphraseStyles, 'passphraseStyles'),
    enablePassphrase: enablePassphrase === true,
  };
}

/** Sets the styles of an element. Its background is the page's too, and `labelColor` is that of its label. */
export function applyStyles(styles: Styles, element: HTMLElement, label?: HTMLElement): void {
  for (const [property, value] of styles) {
    if (property === 'labelColor') label?.style.setProperty('color', value);
    else Object.assign(element.style, { [property]: value });
    if (property === 'backgroundColor')
      for (const root of [document.documentElement, document.body]) root.style.backgroundColor = value;
  }
}
