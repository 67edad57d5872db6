import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu, type Output, type Quipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { hasAllCases } from '../support/cases.ts'
import { moveTo, openStage, signedIn } from './stage.ts'

/**
 * Every number on screen is of the instant of the stamp in the top bar. The test plays a crash at all speeds, pauses, jumps,
 * forks, trades and loses the connection. After each step, and while the clock runs, it reads the stamp and all numbers of
 * the screen at once, and asks the API for the snapshot of that event and time.
 *
 * A screen takes part by naming its numbers: the prop `of` of Money, Price, Quantity and Gain (or `data-number` of any
 * element) is the path of the number in the account snapshot, such as `account.equity`, `gain_today`,
 * `position.AAPL.market_value`, `prices.AAPL.bid` or `order.ID.filled_qty`. A LineChart with `of="curve"` shows the equity
 * curve. Add the path of a new screen to `screens`.
 */
const screens = ['/', '/markets/AAPL', '/orders'] as const
const seeds = hasAllCases ? Array.from({ length: 10 }, (_, index) => `crash-${index}`) : ['crash-0']
const DAY = '2026-01-05'
const at = (time: string): string => `${DAY}T${time}-05:00`

const stage = await openStage()
const { operator, broker } = stage
type Snapshot = Output<'getAccountSnapshot'>

/** What a screen shows at one moment. */
type Shown = {
  readonly time: string
  readonly event: number
  readonly isStale: boolean
  readonly numbers: readonly (readonly [path: string, text: string])[]
  /** The values of the curve, newest first; absent on screens without it. */
  readonly curve?: readonly string[]
}

/** Reads the stamp and all named numbers in one turn of the page. */
const readShown = (page: Page): Promise<Shown | null> =>
  page.evaluate(`(() => {
    const stamp = document.querySelector('[data-as-of]')
    if (!stamp) return null
    const rows = [...document.querySelectorAll('[data-curve="curve"] tbody td:last-child')]
    return {
      time: stamp.dataset.asOf,
      event: Number(stamp.dataset.event),
      isStale: stamp.classList.contains('stale'),
      numbers: [...document.querySelectorAll('[data-number]')].map((one) => [one.dataset.number, one.textContent]),
      ...(rows.length > 0 && { curve: rows.map((one) => one.textContent) }),
    }
  })()`)

/** The played world and the page that shows it. */
type Play = {
  readonly page: Page
  world: string
  accountId: string
  account: Quipu
  /** Numbers that were compared. */
  compared: number
}

const snapshotOf = ({ world, accountId }: Play, query: object): Promise<Snapshot> =>
  operator.getAccountSnapshot({ params: { world, account_id: accountId }, query })

/** Compares what the screen shows with the API at the instant of its stamp. */
async function assertShown(play: Play, shown: Shown, step: string): Promise<void> {
  const { time, event } = shown
  const watched = shown.numbers.flatMap(([path]) => /^prices\.(.+)\.\w+$/.exec(path)?.[1] ?? [])
  const symbols = [...new Set(watched)]
  const snapshot = await snapshotOf(play, { event, time, symbols, curve: '1D' })
  const wrong: string[] = []
  for (const [path, text] of shown.numbers) {
    const expected = numberAt(snapshot, path)
    if (expected === undefined || !isShownAs(expected, text)) wrong.push(`${path}: ${text} for ${expected}`)
    play.compared += 1
  }
  const curve = curveOf(snapshot)
  if (shown.curve) {
    if (shown.curve.length !== curve.length)
      wrong.push(`curve: ${shown.curve.length} points for ${curve.length}`)
    for (const [row, text] of shown.curve.entries())
      if (!isShownAs(curve[row] ?? Number.NaN, text)) wrong.push(`curve ${row}: ${text} for ${curve[row]}`)
    play.compared += shown.curve.length
  }
  assert.deepEqual(wrong.slice(0, 10), [], `${step}: as of ${time} event ${event}`)
}

function numberAt(snapshot: Snapshot, path: string): number | undefined {
  const [part = '', ...rest] = path.split('.')
  const field = rest.pop() ?? ''
  const key = rest.join('.')
  const found: object | undefined =
    part === 'position'
      ? snapshot.positions.find(({ symbol }) => symbol === key)
      : part === 'prices'
        ? snapshot.prices.find(({ symbol }) => symbol === key)
        : part === 'order'
          ? snapshot.orders.find(({ id }) => id === key)
          : part === 'account'
            ? snapshot.account
            : undefined
  const value = found === undefined ? snapshot[part as 'gain_today'] : found[field as keyof typeof found]
  return value == null ? undefined : Number(value)
}

/** Whether a text shows a number, rounded to the places of the text. */
function isShownAs(expected: number, text: string): boolean {
  const plain = text.replace('−', '-').replace(/[^0-9.-]/g, '')
  const places = plain.split('.')[1]?.length ?? 0
  return plain !== '' && Math.abs(Number(plain) - expected) <= 0.5 * 10 ** -places + 1e-6
}

/** The values that the equity curve shows, newest first: its frames, and the equity of the instant. */
function curveOf({ curve, time, account }: Snapshot): readonly number[] {
  const values = new Map<number, number>()
  const nowMs = Date.parse(time)
  let isOpened = false
  for (const [row, seconds] of (curve?.timestamp ?? []).entries()) {
    const value = Number(curve?.equity[row])
    isOpened ||= value !== 0
    if (isOpened && Number(seconds) * 1000 <= nowMs) values.set(Number(seconds) * 1000, value)
  }
  values.set(nowMs, Number(account.equity))
  return [...values].sort(([a], [b]) => b - a).map(([, value]) => value)
}

/** Reads the screen until it shows the instant at which the world has stopped, then compares it. */
async function assertStopped(play: Play, step: string): Promise<void> {
  for (const path of screens) {
    await moveTo(play.page, `${path}?world=${play.world}`)
    if (path === '/') await showCurve(play.page)
    const now = await snapshotOf(play, {})
    let shown: Shown | null = null
    for (let tries = 0; tries < 600; tries += 1) {
      shown = await readShown(play.page)
      if (shown && shown.time === now.time && shown.event === now.event && hasNumbers(path, shown)) break
      await play.page.waitForTimeout(50)
    }
    assert.ok(shown, `${step}: ${path} has no stamp`)
    assert.deepEqual(
      [shown.time, shown.event, shown.isStale],
      [now.time, now.event, false],
      `${step}: ${path}`,
    )
    await assertShown(play, shown, `${step}: ${path}`)
  }
}

const hasNumbers = (path: string, { numbers, curve }: Shown): boolean =>
  path === '/'
    ? numbers.some(([name]) => name === 'account.equity') && curve !== undefined
    : path !== '/markets/AAPL' || numbers.some(([name]) => name === 'prices.AAPL.last')

/** Shows the numbers behind the curve. */
async function showCurve(page: Page): Promise<void> {
  const opener = page.getByRole('button', { name: 'Equity curve' })
  await opener.waitFor()
  if ((await opener.getAttribute('aria-expanded')) !== 'true') await opener.click()
  const button = page.locator('[data-curve="curve"] .to-table')
  await button.waitFor()
  if ((await button.getAttribute('aria-pressed')) !== 'true') await button.click()
}

/** Compares what the screen shows while the clock runs. */
async function assertRunning(play: Play, speed: number, step: string): Promise<void> {
  const params = { world: play.world }
  await moveTo(play.page, `/?world=${play.world}`)
  await showCurve(play.page)
  await operator.runClock({ params, body: { speed: speed as never } })
  for (let look = 0; look < 4; look += 1) {
    await play.page.waitForTimeout(300)
    const shown = await readShown(play.page)
    if (shown && hasNumbers('/', shown)) await assertShown(play, shown, `${step}, look ${look}`)
  }
  await operator.freezeClock({ params })
}

async function openPlay(page: Page, seed: string): Promise<Play> {
  const { accounts } = await operator.createWorld({
    body: {
      world: seed,
      seed,
      start: at('10:20:00'),
      hours: 'nyse',
      market_events: [{ kind: 'crash', at: at('10:26:00'), depth: '0.2', minutes: 14 }] as never,
    },
  })
  return { page, world: seed, compared: 0, ...accountOf(accounts) }
}

type Accounts = Output<'createWorld'>['accounts']

function accountOf([first]: Accounts): Pick<Play, 'accountId' | 'account'> {
  const { account_id: accountId, key_id: keyId, secret_key: secretKey } = first!
  return { accountId, account: createQuipu({ url: broker.url, keyId, secretKey }) }
}

const order = (symbol: string, side: 'buy' | 'sell', qty: string, limit?: string) =>
  ({
    symbol,
    side,
    qty,
    time_in_force: 'day',
    ...(limit === undefined ? { type: 'market' } : { type: 'limit', limit_price: limit }),
  }) as Parameters<Quipu['orders']['place']>[0]

for (const seed of seeds)
  test(`seed ${seed}: all numbers on screen are of one instant`, async (t) => {
    const page = await signedIn(t, '/keys')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    const play = await openPlay(page, seed)
    const advance = (by: string) => operator.advanceClock({ params: { world: play.world }, body: { by } })
    await moveTo(page, `/?world=${play.world}`)
    await assertStopped(play, 'a new world')
    await play.account.orders.place(order('AAPL', 'buy', '100'))
    await play.account.orders.place(order('TSLA', 'sell', '20'))
    await play.account.orders.place(order('KO', 'buy', '5', '1.00'))
    await advance('2s')
    await assertStopped(play, 'after two fills')
    await assertRunning(play, 1, '1×')
    await assertStopped(play, 'paused after 1×')
    await assertRunning(play, 60, '60×')
    await assertStopped(play, 'paused after 60×')
    await advance('5m')
    await assertStopped(play, 'jumped before the crash')
    await play.account.orders.place(order('MSFT', 'buy', '10'))
    await assertRunning(play, 600, '600× into the crash')
    await assertStopped(play, 'paused after 600×')
    await page.context().setOffline(true)
    await advance('3m')
    await page.context().setOffline(false)
    await assertStopped(play, 'back after a lost connection')
    const fork = await operator.forkWorld({ params: { world: play.world }, body: { world: `${seed}-fork` } })
    Object.assign(play, { world: fork.world, ...accountOf(fork.accounts) })
    await play.account.orders.place(order('AAPL', 'sell', '40'))
    await advance('90s')
    await assertStopped(play, 'in a fork')
    await assertRunning(play, 100_000, 'Max')
    await assertStopped(play, 'paused after Max')
    t.diagnostic(`${play.compared} numbers compared`)
    assert.ok(play.compared > 500, `${play.compared} numbers compared`)
  })
