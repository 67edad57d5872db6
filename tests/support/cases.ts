/**
 * Whether this run has every case. `npm test` runs one case of each behaviour; `npm run test:long` sets `CASES=all` and
 * runs the other ways to the same behaviour too.
 */
export const hasAllCases = process.env['CASES'] === 'all'

/** Every case in the long run, the first ones in `npm test`. */
export const casesOf = <Case>(all: readonly Case[], short = 1): readonly Case[] =>
  hasAllCases ? all : all.slice(0, short)
