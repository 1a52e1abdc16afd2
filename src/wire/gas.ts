import { z } from 'zod';
import { parseUsd } from '../model/gas.ts';
import { MOST_MINUTES } from '../model/gas-window.ts';

const USD = 'must be an amount of USD from 0 to 1000000000 with at most six decimals, as a string, such as 250.00';

/** As it was sent, because the record shows it: `parseUsd` reads it. */
export const Usd = z
  .string()
  .max(32, USD)
  .refine((text) => parseUsd(text) !== undefined, USD);

const MINUTES = `must be a whole number of minutes from 1 to ${MOST_MINUTES}, as a string`;

export const WindowMinutes = z
  .string()
  .regex(/^[1-9]\d{0,4}$/, MINUTES)
  .refine((text) => Number(text) <= MOST_MINUTES, MINUTES);
