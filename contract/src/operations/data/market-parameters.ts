import {
  integer,
  list,
  type MomentText,
  moment,
  momentOf,
  oneOf,
  optional,
  type SentTime,
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

/** One of these timeframes. As above, names are case-insensitive. */
export function timeframeAmong<const Name extends string>(...names: readonly Name[]): Shape<Name> {
  const listed = oneOf(...names)
  const spelled = (value: string): string =>
    /[a-z]{2}$/i.test(value) ? (names.find((name) => sameLetters(name, value)) ?? value) : value
  return shape({
    parse: (value, path, problems) =>
      listed.parse(typeof value === 'string' ? spelled(value) : value, path, problems),
    json: listed.json,
  })
}

const sameLetters = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

export function timeframeOf(name: string): Timeframe | undefined {
  for (const [pattern, unit] of timeframes) {
    const match = pattern.exec(name)
    if (match !== null) return { amount: Number(match[1]), unit }
  }
  return undefined
}

const required = (name: string): string =>
  `Invalid format for parameter ${name}: query parameter '${name}' is required`

const symbolPattern = /^[A-Z0-9]{1,16}(?:[./-][A-Z0-9]{1,16})?$/

const symbol = (): Shape<string> =>
  text({ pattern: symbolPattern, expected: 'a symbol', max: 40, example: 'AAPL' })

/** A symbol in a path. */
export const symbolParam = (): Shape<string> =>
  symbol().message((value) => `invalid symbol(s): ${brief(value)} does not match ${symbolPattern.source}`)

/** Symbols of a query without duplicates, in the order of the query. */
export const symbols = () => symbolList(symbol(), symbolPattern)

const pairPattern = /^[A-Z]+\/[A-Z]+$/
const pair = (): Shape<string> =>
  text({ pattern: pairPattern, expected: 'a pair', max: 40, example: 'BTC/USD' })

/** Crypto pairs of a query. */
export const pairs = () => symbolList(pair(), pairPattern)

function symbolList(
  one: Shape<string>,
  pattern: RegExp,
): Shape<readonly string[], readonly string[] | string> {
  const each = list(one, { max: 1000 }).where((symbols) => symbols.length > 0, 'none')
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
  const words = [value].flat().flatMap((part) => (typeof part === 'string' ? part.split(',') : []))
  const bad = words.map((word) => word.trim()).filter((word) => word !== '' && !pattern.test(word))
  return bad.length === 0
    ? `invalid symbol(s): expected 1 to 1000 symbols`
    : `invalid symbol(s): ${bad.slice(0, 5).map(brief).join(', ')} does not match ${pattern.source}`
}

/** A bound of a range. Both bounds are inclusive; a date as `end` includes the whole day. */
export const bound = (): Shape<MomentText, SentTime> =>
  moment().message(
    (value, path) =>
      `Invalid format for parameter ${path}: error parsing '${brief(value)}' as RFC3339 or 2006-01-02 time`,
  )

const historicalFeeds = ['sip', 'iex', 'otc', 'boats'] as const
const latestFeeds = [...historicalFeeds, 'delayed_sip', 'overnight'] as const
export type StockFeed = (typeof latestFeeds)[number]
const NO_FEED = 'otc, boats and overnight have no data: lists are empty.'
const currency = optional(text({ pattern: /^[A-Z]{3}$/, expected: 'a currency code such as USD' })).about(
  'Echoed in the response. Prices are always in USD.',
)

export const latestQuery = {
  feed: optional(oneOf(...latestFeeds)).about(NO_FEED),
  currency,
}

export const limitOf = (preset: number, max: number): Shape<number, number | string | null | undefined> =>
  withDefault(integer({ min: 1, max }), preset)

/** Range, page and sort order of every list of market data. */
export const pageQuery = {
  start: optional(bound()).about(
    'Inclusive. Default: start of the current day. A date is a day in New York, on crypto paths in UTC.',
  ),
  end: optional(bound()).about('Inclusive. Default: now.'),
  limit: limitOf(1000, 10_000).about('Maximum number of data points per page, over all symbols.'),
  page_token: optional(text({ min: 1, max: 512 })).about(
    'next_page_token of the previous page. Keep all other parameters unchanged.',
  ),
  sort: withDefault(oneOf('asc', 'desc'), 'asc'),
}

export const historyQuery = {
  ...pageQuery,
  asof: optional(
    shape<string, SentTime>({
      parse: text({ max: 10 }).where(
        (value) => value === '-' || momentOf(value)?.date !== undefined,
        'asof: expected a date or -',
      ).parse,
      json: () => ({ anyOf: [{ type: 'string', format: 'date' }, { const: '-' }] }),
    }),
  ),
  feed: optional(oneOf(...historicalFeeds)).about(NO_FEED),
  currency,
}

export const adjustment = withDefault(
  list(oneOf('raw', 'split', 'dividend', 'spin-off', 'all'), { max: 5 }),
  ['raw'] as const,
)
