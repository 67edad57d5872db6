import type { ContenderProcess } from '../contender-process.ts'
import { type Row, rowsWith } from '../row.ts'

const row = rowsWith('l')
const SYMBOLS = 60

/** Ten years of daily bars of 60 symbols, page by page as an SDK requests them: the first time, and again. */
export async function tenYears(quipu: ContenderProcess): Promise<readonly Row[]> {
  const symbols = await someSymbols(quipu)
  const first = await measure(quipu, symbols)
  const again = await measure(quipu, symbols)
  const name = `ten years of days of ${SYMBOLS} symbols`
  return [
    row(`${name}, first, s`, first.seconds, '≤ 5'),
    row('the same, s of CPU of the server', first.cpuSeconds),
    row(`${name}, again, s`, again.seconds, '≤ 0.3'),
    row('the same, s of CPU of the server', again.cpuSeconds),
  ]
}

async function someSymbols(quipu: ContenderProcess): Promise<string> {
  const text = await textOf(quipu, '/v2/assets?asset_class=us_equity')
  const assets = JSON.parse(text) as readonly { readonly symbol: string }[]
  return assets
    .map(({ symbol }) => symbol)
    .slice(-SYMBOLS)
    .join(',')
}

async function measure(
  quipu: ContenderProcess,
  symbols: string,
): Promise<{ readonly seconds: number; readonly cpuSeconds: number }> {
  const before = await quipu.cpuMicros()
  const start = performance.now()
  let token: string | null = ''
  for (let pages = 0; token !== null; pages++) {
    const path = `/v2/stocks/bars?symbols=${symbols}&timeframe=1Day&start=2016-01-01&end=2025-12-31&limit=10000`
    const text: string = await textOf(quipu, token === '' ? path : `${path}&page_token=${token}`)
    // The token is at the end of the page, so the client need not parse the whole page.
    token = (JSON.parse(`{${text.slice(text.lastIndexOf('"next_page_token"'))}`) as PageEnd).next_page_token
    if (pages > 100) throw new Error('expected the last page within 100 pages')
  }
  const seconds = (performance.now() - start) / 1000
  return { seconds, cpuSeconds: ((await quipu.cpuMicros()) - before) / 1e6 }
}

type PageEnd = { readonly next_page_token: string | null }

async function textOf({ ready }: ContenderProcess, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${ready.port}${path}`, { headers: ready.headers })
  if (answer.status !== 200) throw new Error(`${path.slice(0, 60)}: expected 200, received ${answer.status}`)
  return answer.text()
}
