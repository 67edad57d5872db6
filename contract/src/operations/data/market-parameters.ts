import {
  integer,
  list,
  type Moment,
  moment,
  momentOf,
  oneOf,
  optional,
  type Shape,
  text,
  withDefault,
} from '../../shape/index.ts'
import { brief, shape, wrong } from '../../shape/shape.ts'

export type TimeframeUnit = 'minute' | 'hour' | 'day' | 'week' | 'month'
export type Timeframe = { readonly amount: number; readonly unit: TimeframeUnit }

const timeframes: readonly (readonly [RegExp, TimeframeUnit])[] = [
  [/^([1-9]|[1-5][0-9])(?:[Mm][Ii][Nn]|T)$/, 'minute'],
  [/^([1-9]|1[0-9]|2[0-3])(?:[Hh][Oo][Uu][Rr]|H)$/, 'hour'],
  [/^(1)(?:[Dd][Aa][Yy]|D)$/, 'day'],
  [/^(1)(?:[Ww][Ee][Ee][Kk]|W)$/, 'week'],
  [/^(1|2|3|4|6|12)(?:[Mm][Oo][Nn][Tt][Hh]|M)$/, 'month'],
]

/** `5Min`, `1Hour`, `1Day`, `1Week`, `3Month` in any case, or the short `5T`, `1H`, `1D`, `1W`, `3M`. */
export const timeframe = (): Shape<Timeframe, string> =>
  shape<Timeframe, string>({
    parse: (value, path, problems) =>
      (typeof value === 'string' ? timeframeOf(value) : undefined) ??
      wrong(problems, path, 'a timeframe such as 1Min or 1Day', value),
    json: () => ({
      title: 'timeframe',
      type: 'string',
      pattern: timeframes.map(([pattern]) => `(?:${pattern.source})`).join('|'),
      examples: ['1Day'],
    }),
  }).message((value) =>
    value === undefined
      ? required('timeframe')
      : `invalid timeframe: "${brief(value)}"; expected such as 1Min, 5Min, 1Hour, 1Day, 1Week or 1Month`,
  )

/** One of these timeframes. As above, words are read in any case. */
export function timeframeAmong<const Name extends string>(...names: readonly Name[]): Shape<Name> {
  const listed = oneOf(...names)
  const spelled = (given: string): string =>
    /[a-z]{2}$/i.test(given) ? (names.find((name) => sameLetters(name, given)) ?? given) : given
  return shape({
    parse: (value, path, problems) =>
      listed.parse(typeof value === 'string' ? spelled(value) : value, path, problems),
    json: listed.json,
  })
}

const sameLetters = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

export function timeframeOf(given: string): Timeframe | undefined {
  for (const [pattern, unit] of timeframes) {
    const match = pattern.exec(given)
    if (match !== null) return { amount: Number(match[1]), unit }
  }
  return undefined
}

const required = (name: string): string =>
  `Invalid format for parameter ${name}: query parameter '${name}' is required`

const symbolPattern = /^[A-Z0-9]{1,16}(?:[./-][A-Z0-9]{1,16})?$/

const symbol = (): Shape<string> =>
  text({ pattern: symbolPattern, called: 'a symbol', max: 40, example: 'AAPL' })

/** A symbol in a path. */
export const symbolParam = (): Shape<string> =>
  symbol().message((value) => `invalid symbol(s): ${brief(value)} does not match ${symbolPattern.source}`)

/** Symbols of a query, each once, in the order given. */
export const symbols = () => symbolList(symbol(), symbolPattern)

const pairPattern = /^[A-Z]+\/[A-Z]+$/
const pair = (): Shape<string> =>
  text({ pattern: pairPattern, called: 'a pair', max: 40, example: 'BTC/USD' })

/** Pairs of coins of a query. */
export const pairs = () => symbolList(pair(), pairPattern)

function symbolList(
  one: Shape<string>,
  pattern: RegExp,
): Shape<readonly string[], readonly string[] | string> {
  const each = list(one, { max: 1000 }).where((given) => given.length > 0, 'none')
  return shape<readonly string[], readonly string[] | string>({
    parse: (value, path, problems) => {
      const before = problems.length
      const parsed = each.parse(value, path, problems)
      return problems.length > before ? parsed : [...new Set(parsed)]
    },
    json: each.json,
  }).message((value) => (value === undefined ? required('symbols') : badSymbols(value, pattern)))
}

function badSymbols(value: unknown, pattern: RegExp): string {
  const given = [value].flat().flatMap((part) => (typeof part === 'string' ? part.split(',') : []))
  const bad = given.map((word) => word.trim()).filter((word) => word !== '' && !pattern.test(word))
  return bad.length === 0
    ? `invalid symbol(s): expected 1 to 1000 symbols`
    : `invalid symbol(s): ${bad.slice(0, 5).map(brief).join(', ')} does not match ${pattern.source}`
}

/** A bound of a range; both bounds are included, and a date as `end` means all of that day. */
export const bound = (): Shape<Moment, string> =>
  moment().message(
    (value, path) =>
      `Invalid format for parameter ${path}: error parsing '${brief(value)}' as RFC3339 or 2006-01-02 time`,
  )

const historicalFeeds = ['sip', 'iex', 'otc', 'boats'] as const
const currency = optional(text({ pattern: /^[A-Z]{3}$/, called: 'a currency code such as USD' })).about(
  'Echoed in the answer when given. Prices are in USD.',
)

export const latestQuery = {
  feed: optional(oneOf(...historicalFeeds, 'delayed_sip', 'overnight')),
  currency,
}

export const limitOf = (preset: number, max: number): Shape<number, number | string | null | undefined> =>
  withDefault(integer({ min: 1, max }), preset)

/** The range, the page and the order of every list of market data. */
export const pageQuery = {
  start: optional(bound()).about(
    'Included; the start of the current day by default. A date is a day in New York, on crypto paths in UTC.',
  ),
  end: optional(bound()).about('Included; now when left out.'),
  limit: limitOf(1000, 10_000).about('Points of one page over all symbols.'),
  page_token: optional(text({ min: 1, max: 512 })).about('From the page before; all else unchanged.'),
  sort: withDefault(oneOf('asc', 'desc'), 'asc'),
}

export const historyQuery = {
  ...pageQuery,
  asof: optional(
    text({ max: 10 }).where(
      (value) => value === '-' || momentOf(value)?.date !== undefined,
      'asof: expected a date or -',
    ),
  ),
  feed: optional(oneOf(...historicalFeeds)),
  currency,
}

export const adjustment = withDefault(
  list(oneOf('raw', 'split', 'dividend', 'spin-off', 'all'), { max: 5 }),
  ['raw'] as const,
)
