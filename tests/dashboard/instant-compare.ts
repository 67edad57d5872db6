import type { ApiNumbers } from './instant-numbers.ts'
import type { Shown } from './instant-screens.ts'

/** Counts the numbers that were compared. */
type Compared = { compared: number }

/** The symbols whose prices are on screen. */
export const symbolsOf = (shown: Shown): readonly string[] => {
  const names = [...shown.numbers, ...shown.sparks].map(([name]) => name)
  return [...new Set(names.flatMap((name) => /^(?:prices|change|day\w*)\.([A-Z/]+)/.exec(name)?.[1] ?? []))]
}

export const symbolIn = (path: string) => ({
  symbol: new URL(path, 'http://page').searchParams.get('symbol') ?? 'AAPL',
})

/** Whether a text shows a number, rounded to the places of the text. */
function isShownAs(expected: number | undefined, text: string): boolean {
  const plain = /-?[\d,]*\.?\d+/.exec(text.replace('−', '-'))?.[0].replaceAll(',', '')
  if (plain === undefined || expected === undefined) return plain === undefined && expected === undefined
  const places = plain.split('.')[1]?.length ?? 0
  return Math.abs(Number(plain) - expected) <= 0.5 * 10 ** -places + 1e-6
}

/** What differs between the numbers on screen and those of the API at the instant of the stamp. */
export async function differences(play: Compared, api: ApiNumbers, shown: Shown): Promise<readonly string[]> {
  const wrong = shown.unnamed.map((html) => `a number without a name: ${html}`)
  let moved = 0
  for (const [name, text] of shown.numbers) {
    play.compared += 1
    // Bars of the ledger add up to the balance below them.
    if (name.startsWith('moved'))
      moved += (name === 'moved' ? -1 : 1) * Number(text.replace('−', '-').replaceAll(',', ''))
    else {
      const expected = await api.number(name)
      if (!isShownAs(expected, text)) wrong.push(`${name}: ${text} for ${expected}`)
    }
  }
  if (Math.abs(moved) > 0.005) wrong.push(`moved: the parts differ from their sum by ${moved}`)
  for (const [name, texts] of shown.curves) {
    const expected = await api.curve(name)
    play.compared += texts.length
    if (texts.length !== expected.length) wrong.push(`${name}: ${texts.length} points for ${expected.length}`)
    for (const [row, text] of texts.entries())
      if (!isShownAs(expected[row], text)) wrong.push(`${name} ${row}: ${text} for ${expected[row]}`)
  }
  for (const [name, path] of shown.sparks) {
    const expected = await api.spark(name)
    if (path !== expected) wrong.push(`${name}: ${path} for ${expected}`)
  }
  return wrong
}

/** What differs between the candles that are drawn and the bars of the API. */
export async function barDifferences(
  play: Compared,
  api: ApiNumbers,
  path: string,
  shown: Shown,
): Promise<readonly string[]> {
  const { query } = { query: new URL(path, 'http://page').searchParams }
  const symbol = query.get('symbol')
  if (symbol === null) return []
  if (!shown.drawn) return ['the chart is not drawn']
  const bars = await api.calls.bars(symbol, query.get('bars') === '1m' ? '1Min' : '5Min')
  const [candles, volumes] = shown.drawn
  play.compared += candles.length * 5
  const texts = candles.map(({ time, open, high, low, close }, row) =>
    [time, open, high, low, close, volumes[row]?.value].join(' '),
  )
  // The chart may have read older bars too.
  const expected = bars
    .map(({ t, o, h, l, c, v }) => [Date.parse(t) / 1000, o, h, l, c, v].join(' '))
    .slice(-texts.length)
  texts.splice(0, texts.length - bars.length)
  const rows = Array.from({ length: Math.max(texts.length, expected.length) }, (_, row) => row)
  return rows.flatMap((row) =>
    texts[row] === expected[row] ? [] : [`candle ${row} of ${symbol}: ${texts[row]} for ${expected[row]}`],
  )
}
