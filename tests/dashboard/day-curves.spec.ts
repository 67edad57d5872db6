import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Request } from 'playwright-core'
import { withMinutes } from '../../web/src/screens/workspace/quarter-closes.ts'
import { moveTo, openStage, visit } from './stage.ts'

const { operator } = await openStage()

const at = (time: string): number => Date.parse(`2026-01-05T${time}:00Z`)
const minute = (S: string, time: string, c: number) => ({ S, t: `2026-01-05T${time}:00Z`, c })

for (const [what, minutes, expected] of [
  [
    'a bar of the instant until which the curves were read changes nothing',
    [minute('KO', '15:03', 9)],
    '1 2',
  ],
  ['a later bar moves the close of its quarter of an hour', [minute('KO', '15:04', 9)], '1 9'],
  ['a bar of the next quarter of an hour adds a point', [minute('KO', '15:15', 9)], '1 2 9'],
  ['a stream that is behind leaves the quarters before', [minute('KO', '14:44', 9)], '1 2'],
  ['a symbol without a curve gets none', [minute('JPM', '15:15', 9)], '1 2'],
] as const)
  test(what, () => {
    const bars = new Map([
      [at('14:45'), 1],
      [at('15:00'), 2],
    ])
    const curves = withMinutes(new Map([['KO', bars]]), minutes, at('15:04'))
    assert.deepEqual([...curves.keys()], ['KO'])
    assert.equal([...curves.get('KO')!.values()].join(' '), expected)
  })

test('a read that is overtaken is canceled, so that many moves of the clock do not delay the newest', async (t) => {
  const world = 'curves'
  await operator.createWorld({ body: { world, start: '2026-01-05T10:00:00-05:00', seed: '7' } })
  const page = await visit(t, `/?world=${world}`)
  const curve = page.locator('.watchlist [data-spark]').first()
  await curve.waitFor()
  const before = await curve.locator('path').last().getAttribute('d')
  const ofStocks = /stocks\/bars\?.*timeframe=15Min/
  // Reads without a response.
  await page.route(ofStocks, () => undefined)
  const open = new Set<unknown>()
  page.on('requestfailed', (request) => open.delete(request))
  for (let move = 0; move < 4; move += 1) {
    const read = page.waitForRequest(ofStocks)
    await operator.advanceClock({ params: { world }, body: { by: '15m' } })
    open.add(await read)
  }
  await page.waitForTimeout(100)
  assert.equal(open.size, 1)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await operator.advanceClock({ params: { world }, body: { by: '15m' } })
  for (let tries = 100; (await curve.locator('path').last().getAttribute('d')) === before; tries -= 1) {
    assert.ok(tries > 0, 'the curve is not read again')
    await page.waitForTimeout(50)
  }
})

/** Data of the chosen symbol: trades, the last price, halts and corporate actions. */
const ofSymbol = [/stocks\/trades\?/, /stocks\/trades\/latest\?/, /stocks\/halts\?/, /corporate-actions\?/]

test('reads of a symbol that is no longer on screen are canceled', async (t) => {
  const world = 'tape'
  await operator.createWorld({ body: { world, start: '2026-01-05T10:00:00-05:00', seed: '7' } })
  const page = await visit(t, '/keys')
  const isOfFirst = (url: URL) =>
    url.searchParams.get('symbols') === 'AAPL' && ofSymbol.some((name) => name.test(url.href))
  await page.route(isOfFirst, () => new Promise<void>(() => undefined))
  const reads = ofSymbol.map((name) => (request: Request) => {
    const url = new URL(request.url())
    return isOfFirst(url) && name.test(url.href)
  })
  const asked = reads.map((isRead) => page.waitForRequest(isRead))
  const canceled = reads.map((isRead) => page.waitForEvent('requestfailed', isRead))
  await moveTo(page, `/?symbol=AAPL&world=${world}`)
  await Promise.all(asked)
  await moveTo(page, `/?symbol=TSLA&world=${world}`)
  await Promise.all(canceled)
  await page.locator('[data-number="trade.TSLA.0.price"]').waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})
