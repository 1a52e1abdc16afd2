import { styleText } from 'node:util';
import { noColour } from '../config.ts';

type Style = 'bold' | 'red' | 'yellow';

/** Colours a text for a terminal that shows colours. A file or a pipe, and NO_COLOR, leave it as it is. */
export const coloured = (style: Style, text: string, stream: NodeJS.WriteStream): string =>
  stream.isTTY === true && !noColour() && stream.hasColors() ? styleText(style, text, { validateStream: false }) : text;
