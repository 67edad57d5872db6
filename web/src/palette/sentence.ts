/**
 * What a sentence of the search says. `crash 6% TSLA in 2m`, `halt AMD 10m`, `gap -4% AAPL`, `next open`,
 * `fork before dip-1`, `backup`, `sell 10 nvda limit 130`. Amounts and durations stay texts.
 */
export type Sentence =
  | {
      readonly kind: 'crash'
      readonly percent: string
      readonly symbol: string | undefined
      readonly start: Start
      readonly minutes: string
    }
  | { readonly kind: 'halt'; readonly symbol: string; readonly start: Start; readonly minutes: string }
  | { readonly kind: 'gap'; readonly percent: string; readonly symbol: string | undefined }
  | { readonly kind: 'advance'; readonly until: 'next_open' | 'next_close' | 'next_event' }
  | { readonly kind: 'fork'; readonly from: ForkPoint }
  | { readonly kind: 'backup' }
  | OrderSentence

/** When an event begins: a duration from now such as `2m`, or a time of the day in New York. */
export type Start = { readonly in: string } | { readonly at: string }

export type ForkPoint =
  | { readonly kind: 'now' }
  | { readonly kind: 'at'; readonly time: string }
  | { readonly kind: 'shownOrder' }
  | { readonly kind: 'order'; readonly clientOrderId: string }

export type OrderSentence = {
  readonly kind: 'order'
  readonly side: 'buy' | 'sell'
  readonly size: string
  readonly unit: 'shares' | 'money'
  readonly symbol: string
  readonly limit: string | undefined
  readonly stop: string | undefined
  readonly isUntilCanceled: boolean
}

/** The whole sentence with its defaults: the values that Tab goes through are visible in it. */
export function sentenceText(sentence: Sentence): string {
  switch (sentence.kind) {
    case 'crash':
      return joined(
        'crash',
        `${sentence.percent}%`,
        sentence.symbol,
        startText(sentence.start),
        `for ${sentence.minutes}m`,
      )
    case 'halt':
      return joined('halt', sentence.symbol, `${sentence.minutes}m`, startText(sentence.start))
    case 'gap':
      return joined('gap', `${sentence.percent}%`, sentence.symbol)
    case 'advance':
      return sentence.until.replace('_', ' ')
    case 'fork':
      return joined('fork', forkText(sentence.from))
    case 'backup':
      return 'backup'
    case 'order':
      return orderText(sentence)
  }
}

const joined = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' ')
const startText = (start: Start): string => ('in' in start ? `in ${start.in}` : `at ${start.at}`)

function forkText(from: ForkPoint): string {
  switch (from.kind) {
    case 'now':
      return ''
    case 'at':
      return `at ${from.time}`
    case 'shownOrder':
      return 'before this order'
    case 'order':
      return `before ${from.clientOrderId}`
  }
}

const orderText = ({ side, size, unit, symbol, limit, stop, isUntilCanceled }: OrderSentence): string =>
  joined(
    side,
    unit === 'money' ? `$${size}` : size,
    symbol,
    stop && `stop ${stop}`,
    limit && `limit ${limit}`,
    isUntilCanceled ? 'gtc' : undefined,
  )

/** Where the values of a sentence are in its text: after the verb, without the small words. */
export function valueSpans(text: string): readonly (readonly [from: number, to: number])[] {
  const fixed = /^(in|at|for|before|limit|stop|next|of|this|order)$/i
  return [...text.matchAll(/\S+/g)]
    .slice(1)
    .filter(([word]) => !fixed.test(word))
    .map(({ 0: word, index }) => {
      const from = word.startsWith('$') ? index + 1 : index
      return [from, index + word.replace(/(?<=\d)[%mhs]$/, '').length]
    })
}
