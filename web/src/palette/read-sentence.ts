import type { ForkPoint, OrderSentence, Sentence, Start } from './sentence.ts'

/** A sentence that is complete, or what it lacks; undefined if the text does not begin like a sentence. */
export type SentenceReading =
  | { readonly kind: 'complete'; readonly sentence: Sentence }
  | { readonly kind: 'incomplete'; readonly missing: string }
  | undefined

const complete = (sentence: Sentence): SentenceReading => ({ kind: 'complete', sentence })
const incomplete = (missing: string): SentenceReading => ({ kind: 'incomplete', missing })

export function readSentence(text: string): SentenceReading {
  const [verb = '', ...words] = wordsOf(text)
  const read = verbs[verb.toLowerCase()]
  return read?.(words, verb.toLowerCase())
}

/** `6 %` is `6%`, and `2 min` is `2m`. */
const wordsOf = (text: string): readonly string[] =>
  text
    .trim()
    .replace(/−/g, '-')
    .replace(/(\d)\s+%/g, '$1%')
    .replace(/(\d)\s*(?:minutes?|mins?|m)\b/gi, '$1m')
    .replace(/(\d)\s*(?:hours?|h)\b/gi, '$1h')
    .replace(/(\d)\s*(?:seconds?|secs?|s)\b/gi, '$1s')
    .split(/\s+/)

const NUMBER = /^\d+(\.\d+)?$/
const PERCENT = /^([+-]?)(\d+(?:\.\d+)?)%$/
const DURATION = /^\d+[smh]$/
const MINUTES = /^(\d+)m$/
const TIME = /^([01]?\d|2[0-3]):[0-5]\d$/
const SYMBOL = /^[a-z][a-z0-9.]{0,19}(\/[a-z]{1,10})?$/i

type Reader = (words: readonly string[], verb: string) => SentenceReading

const verbs: Readonly<Record<string, Reader>> = {
  crash: readCrash,
  halt: readHalt,
  gap: readGap,
  next: readNext,
  fork: readFork,
  backup: (words) => (words.length === 0 ? complete({ kind: 'backup' }) : undefined),
  buy: readOrder,
  sell: readOrder,
}

/** The parts of a market event, in any order. */
type EventParts = {
  percent?: string
  symbol?: string
  start?: Start
  minutes?: string
  /** A text that is none of them. */
  unknown?: string
}

function eventParts(words: readonly string[]): EventParts {
  const parts: EventParts = {}
  for (let at = 0; at < words.length; at += 1) {
    const [word = '', next = ''] = [words[at], words[at + 1]]
    const hasNext = ['in', 'at', 'for'].includes(word.toLowerCase()) && next !== ''
    if (hasNext && takeTimed(parts, word.toLowerCase(), next)) at += 1
    else if (!takeWord(parts, word)) parts.unknown ??= word
  }
  return parts
}

function takeTimed(parts: EventParts, word: string, value: string): boolean {
  if (word === 'in' && DURATION.test(value)) parts.start = { in: value }
  else if (word === 'at' && TIME.test(value)) parts.start = { at: value }
  else if (word === 'for' && MINUTES.test(value)) parts.minutes = value.slice(0, -1)
  else return false
  return true
}

function takeWord(parts: EventParts, word: string): boolean {
  if (PERCENT.test(word)) parts.percent ??= word.slice(0, -1)
  else if (MINUTES.test(word)) parts.minutes ??= word.slice(0, -1)
  else if (parts.symbol === undefined && SYMBOL.test(word) && !KEYWORDS.has(word.toLowerCase()))
    parts.symbol = word.toUpperCase()
  else return false
  return true
}

const KEYWORDS: ReadonlySet<string> = new Set(['in', 'at', 'for'])

function unknownPart(verb: string, { unknown }: EventParts): SentenceReading {
  if (unknown === undefined) return undefined
  const words: Readonly<Record<string, string>> = {
    in: 'in: add a time such as in 2m',
    at: 'at: add a time of today such as at 14:30',
    for: 'for: add minutes such as for 10m',
  }
  return incomplete(
    words[unknown.toLowerCase()] ?? `${verb}: expected per cent, one symbol or a time, received ${unknown}`,
  )
}

function readCrash(words: readonly string[]): SentenceReading {
  const parts = eventParts(words)
  const { percent, symbol, start = { in: '2m' }, minutes = '10' } = parts
  const bad = unknownPart('crash', parts)
  if (bad) return bad
  if (percent === undefined) return incomplete('crash: add how far, such as crash 6% TSLA in 2m')
  const depth = percent.replace(/^[+-]/, '')
  if (Number(depth) < 1 || Number(depth) > 90)
    return incomplete(`crash: expected 1 % to 90 %, received ${depth} %`)
  return complete({ kind: 'crash', percent: depth, symbol, start, minutes })
}

function readHalt(words: readonly string[]): SentenceReading {
  const parts = eventParts(words)
  const { symbol, start = { in: '2m' }, minutes = '10', percent } = parts
  const bad = unknownPart('halt', parts)
  if (bad) return bad
  if (percent !== undefined) return incomplete('halt: expected a symbol and minutes, received per cent')
  if (symbol === undefined) return incomplete('halt: add a symbol, such as halt AMD 10m')
  return complete({ kind: 'halt', symbol, start, minutes })
}

function readGap(words: readonly string[]): SentenceReading {
  const parts = eventParts(words)
  const { percent, symbol, start, minutes } = parts
  const bad = unknownPart('gap', parts)
  if (bad) return bad
  if (percent === undefined) return incomplete('gap: add how far, such as gap -4% AAPL')
  if (start !== undefined || minutes !== undefined)
    return incomplete('gap: expected no time: a gap is at the next open')
  return complete({ kind: 'gap', percent: percent.replace('+', ''), symbol })
}

function readNext(words: readonly string[]): SentenceReading {
  const [what = ''] = words
  if (words.length > 1) return undefined
  const until = { open: 'next_open', close: 'next_close', event: 'next_event' } as const
  const found = (Object.keys(until) as (keyof typeof until)[]).find((one) => one === what.toLowerCase())
  return found === undefined
    ? incomplete('next: add open, close or event')
    : complete({ kind: 'advance', until: until[found] })
}

function readFork(words: readonly string[]): SentenceReading {
  const [first = '', second, third] = words
  const fork = (from: ForkPoint) => complete({ kind: 'fork', from })
  if (first === '') return fork({ kind: 'now' })
  if (first === 'at')
    return second !== undefined && TIME.test(second)
      ? fork({ kind: 'at', time: second.padStart(5, '0') })
      : incomplete('fork at: add a time of today such as 10:20')
  if (first !== 'before') return undefined
  if (second === undefined)
    return incomplete('fork before: add the client id of an order, or “this order” on its page')
  if (second === 'this' && (third === undefined || third === 'order')) return fork({ kind: 'shownOrder' })
  return fork({ kind: 'order', clientOrderId: words.slice(1).join(' ') })
}

/** `10 nvda`, `$500 of spy`, then `limit 130`, a price alone, `stop 120`, `gtc`. */
function readOrder(words: readonly string[], verb: string): SentenceReading {
  const side = verb === 'buy' ? 'buy' : 'sell'
  const example = `such as ${side} 10 NVDA limit 130`
  const rest = words.filter((word) => !['of', 'at', 'shares'].includes(word.toLowerCase()))
  const [amount = '', symbol, ...prices] = rest
  const size = amount.replace(/^\$/, '')
  // `buy nvda` is a symbol of the search, with its own commands.
  if (amount !== '' && !NUMBER.test(size)) return undefined
  if (amount === '') return incomplete(`${side}: add how many and what, ${example}`)
  if (symbol === undefined) return incomplete(`${side}: add a symbol, ${example}`)
  if (!SYMBOL.test(symbol)) return incomplete(`${side}: expected a symbol, received ${symbol}`)
  const unit = amount.startsWith('$') ? 'money' : 'shares'
  const order = { kind: 'order', side, size, unit, symbol: symbol.toUpperCase() } as const
  return withPrices(order, prices)
}

function withPrices(
  order: Pick<OrderSentence, 'kind' | 'side' | 'size' | 'unit' | 'symbol'>,
  words: readonly string[],
): SentenceReading {
  const { side } = order
  const prices: { limit?: string; stop?: string } = {}
  let isUntilCanceled = false
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!.toLowerCase()
    if (word === 'gtc') isUntilCanceled = true
    else if (word === 'market' || word === 'day') continue
    else if (NUMBER.test(word)) prices.limit = word
    else if (word === 'limit' || word === 'stop') {
      const price = words[at + 1] ?? ''
      if (!NUMBER.test(price)) return incomplete(`${side}: add the ${word} price, such as ${word} 130`)
      prices[word] = price
      at += 1
    } else return incomplete(`${side}: expected limit, stop or gtc, received ${words[at]}`)
  }
  return complete({ ...order, limit: prices.limit, stop: prices.stop, isUntilCanceled })
}
